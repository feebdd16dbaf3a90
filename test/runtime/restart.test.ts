import type { Pool } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startDatabaseClock } from '#runtime/database-clock';
import { createLogger } from '#runtime/logger';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#runtime/postgres/embedded';
import { createListener } from '#runtime/postgres/listener';
import { isConnectionError, openPool } from '#runtime/postgres/pool';
import { inTransaction } from '#runtime/postgres/transaction';
import { createScratch } from '#test/support/scratch';
import { until } from '#test/support/until';

let dataDir: string;
let server: EmbeddedPostgres;
let pool: Pool;
beforeEach(async () => {
  dataDir = createScratch('restart');
  server = await startEmbeddedPostgres({ dataDir, durable: false });
  // Not a name of the product: the launcher would leave the server on for it.
  const url = new URL(server.connectionString);
  url.searchParams.set('application_name', 'test');
  pool = openPool({ connectionString: url.href, schema: 'public', max: 4, name: 'restart' });
});
afterEach(async () => {
  await pool.end();
  await server.stop();
});

test('pool, transaction, clock and listener live through a restart of the database', async () => {
  const { connectionString } = pool.options;
  const logger = createLogger({ level: 'silent', name: 'test' });
  const clock = await startDatabaseClock(pool, { refreshEveryMs: 20 });
  const listener = createListener({ connectionString: connectionString ?? '', logger });
  let woken = 0;
  await listener.listen('jobs', () => {
    woken += 1;
  });

  const held = await pool.connect();
  await held.query('BEGIN');
  const inFlight = inTransaction(pool, (client) => client.query('SELECT pg_sleep(60)')).catch((error) => error);
  await until('it is under way', async () => {
    return (await pool.query(`SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'`)).rowCount;
  });
  const before = { woken, now: clock.now() };
  await server.stop();

  expect(isConnectionError(await inFlight)).toBe(true);
  expect(isConnectionError(await held.query('SELECT 1').catch((error) => error))).toBe(true);
  held.release(true);
  expect(isConnectionError(await pool.query('SELECT 1').catch((error) => error))).toBe(true);
  await until('the clock goes on', () => clock.now() > before.now + 100);

  const { port } = new URL(server.connectionString);
  server = await startEmbeddedPostgres({ dataDir, durable: false, settings: { port } });
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await until('the listener is back', () => woken > before.woken);
  clock.stop();
  await listener.close();
});
