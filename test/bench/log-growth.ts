import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { composeCore } from '#bin/compose';
import type { Commands, SubmitItem } from '#commands/contract';
import { jobsProjection } from '#projections/jobs/projection';
import { startProjector } from '#projections/projector/projector';
import { createLogger } from '#runtime/logger';
import { startEmbeddedPostgres } from '#runtime/postgres/embedded';
import { migrate } from '#runtime/postgres/migrate';
import { until } from '#test/support/until';

/*
 * How many bytes of disk a finished job costs, indexes included: `node test/bench/log-growth.ts [jobs]`. The jobs are as
 * small as jobs get (a payload of one path, a result of a size and a hash), run once and succeed.
 */

const JOBS = Number(process.argv[2] ?? 20_000);
const BATCH = 1_000;
const CLAIM = 100;
const SCHEMA = 'holdfast';
const CALL = { actor: 'anonymous' };
const DAY_SECONDS = 86_400;

const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-growth-'));
chmodSync(dataDir, 0o755);
const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
try {
  const { connectionString } = postgres;
  await migrate({ connectionString, schema: SCHEMA });
  const logger = createLogger({ level: 'warn', name: 'bench' });
  const core = await composeCore({
    connectionString,
    schema: SCHEMA,
    streamPrefix: '',
    keyWindowSeconds: DAY_SECONDS,
    pollMs: 1_000,
    logger,
    name: 'bench',
  });
  const projections = [jobsProjection({ streamPrefix: '' })];
  const projector = startProjector({ log: core.log, pool: core.tables, projections, logger, ownerId: 'bench' });
  try {
    for (let done = 0; done < JOBS; done += BATCH) await runJobs(core.commands, Math.min(BATCH, JOBS - done));
    await until('every job is in its table', async () => (await finishedJobs(core.tables)) === JOBS, 60_000);
    await report(core.tables);
  } finally {
    await projector.stop();
    await core.close();
  }
} finally {
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function runJobs(commands: Commands, count: number): Promise<void> {
  await commands.submit(
    Array.from({ length: count }, (_, at) => smallJob(at)),
    CALL,
  );
  const worker = { workerId: 'worker-1', queues: null, types: null, leaseSeconds: null, requestId: null };
  for (;;) {
    const claimed = await commands.claim({ ...worker, maxJobs: CLAIM }, { actor: 'worker:worker-1' });
    if (claimed.kind !== 'claimed' || claimed.jobs.length === 0) return;
    const result = { size: 12_345, sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' };
    const outcomes = claimed.jobs.map(({ id, fencingToken }) => ({
      jobId: id,
      command: { kind: 'complete', fencingToken, result } as const,
    }));
    await commands.execute(outcomes, { actor: 'worker:worker-1' });
  }
}

function smallJob(at: number): SubmitItem {
  const request = { type: 'file.hash', payload: { path: `node_modules/some-package/dist/file-${at}.js` } };
  return { request, sent: request, idempotencyKey: null };
}

async function finishedJobs(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ jobs: number }>(
    `SELECT count(*)::int AS jobs FROM jobs WHERE status = 'succeeded'`,
  );
  return rows[0]?.jobs ?? 0;
}

async function report(pool: Pool): Promise<void> {
  await pool.query('VACUUM');
  const { rows } = await pool.query<{ log: string; tables: string }>(`
    SELECT pg_total_relation_size('events') AS log, sum(pg_total_relation_size(c.oid)) AS tables
    FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname <> 'events'`);
  const perJob = { log: Number(rows[0]?.log) / JOBS, tables: Number(rows[0]?.tables) / JOBS };
  const total = perJob.log + perJob.tables;
  const lines = [
    `jobs finished        ${JOBS}`,
    `log, bytes a job     ${Math.round(perJob.log)}`,
    `tables, bytes a job  ${Math.round(perJob.tables)}`,
    ...[10, 100, 1_000].map((rate) => `${rate} jobs/s`.padEnd(21) + gibibytesADay(rate * total)),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function gibibytesADay(bytesASecond: number): string {
  return `${((bytesASecond * DAY_SECONDS) / 2 ** 30).toFixed(1)} GiB a day`;
}
