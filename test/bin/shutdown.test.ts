import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '#client/client';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { startServing } from './server-process.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('a handler that never stops is handed back, and does not keep its process from ending', async () => {
  const server = await startServing([process.execPath, 'bin/holdfast.js', 'server'], {
    DATABASE_URL: database.connectionString,
    HOLDFAST_PORT: '0',
    HOLDFAST_POLL_MS: '100',
    HOLDFAST_SHUTDOWN_SECONDS: '0',
    HOLDFAST_HANDLERS: 'test/bin/fixtures/deaf-handlers.ts',
  });
  try {
    const client = createClient({ url: server.url });
    const {
      job: { id },
    } = await client.submitJob({ type: 'deaf' });
    await until('it runs', async () => (await client.getJob(id)).status === 'running');
    expect(await server.stop('SIGTERM')).toBe(0);
    const { rows } = await database.pool.query('SELECT type FROM events WHERE stream = $1 ORDER BY version', [
      `job-${id}`,
    ]);
    expect(rows.map(({ type }) => type)).toEqual(['Submitted', 'Claimed', 'Released']);
  } finally {
    await server.stop('SIGKILL');
  }
});
