import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createClient } from '#client/client';
import { createScratch } from '../support/scratch.ts';
import { until } from '../support/until.ts';
import { startServing } from './server-process.ts';

test('a server whose embedded database was killed starts it again, and loses no job', { timeout: 90_000 }, async () => {
  const dataDir = createScratch('embedded-crash');
  const postmaster = () => Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
  const server = await startServing([process.execPath, 'bin/holdfast.js', 'server'], {
    HOLDFAST_DATA_DIR: dataDir,
    HOLDFAST_PORT: '0',
    HOLDFAST_POLL_MS: '100',
  });
  try {
    const client = createClient({ url: server.url });
    const before = await client.submitJob({ type: 'noop', delay_seconds: 1 });
    const killed = postmaster();
    process.kill(killed, 'SIGKILL');
    const succeeded = async (id: string) => (await client.getJob(id).catch(() => null))?.status === 'succeeded';
    await until('a job of before succeeded', () => succeeded(before.job.id), 60_000);
    expect(postmaster()).not.toBe(killed);
    const after = await client.submitJob({ type: 'noop' });
    await until('a job of after succeeded', () => succeeded(after.job.id));
    expect(await server.stop('SIGTERM')).toBe(0);
    expect(() => process.kill(postmaster(), 0)).toThrow();
  } finally {
    await server.stop('SIGKILL');
  }
});
