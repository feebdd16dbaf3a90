import type { Command } from 'commander';
import type { Pool } from 'pg';
import { openPostgresLog } from '#log/postgres/store';
import { dueJobsProjection } from '#projections/due-jobs/projection';
import { jobsProjection } from '#projections/jobs/projection';
import type { Projection } from '#projections/projector/projection';
import { RebuildRefused, rebuildOffline } from '#projections/rebuild/offline';
import { rebuildUnderLock } from '#projections/rebuild/under-lock';
import { workersProjection } from '#projections/workers/projection';
import type { Config } from '#runtime/config';
import { createLogger } from '#runtime/logger';
import { requireCurrentSchema } from '#runtime/postgres/migrate';
import { openPool } from '#runtime/postgres/pool';
import { CommandFailure } from '../command-failure.ts';
import { withDatabase } from '../database.ts';
import { EXIT } from '../exit-codes.ts';
import { type Progress, showProgress } from '../progress.ts';
import { openSession, type Session } from '../session.ts';
import type { Terminal } from '../terminal.ts';

interface Rebuildable {
  readonly create: (options: { readonly streamPrefix: string }) => Projection;
  readonly rebuild: typeof rebuildOffline;
}

/** `due_jobs` is written by the appends themselves, which therefore have to wait while it is refilled. */
const REBUILDABLE: Readonly<Record<string, Rebuildable>> = {
  jobs: { create: jobsProjection, rebuild: rebuildOffline },
  workers: { create: workersProjection, rebuild: rebuildOffline },
  due_jobs: { create: dueJobsProjection, rebuild: rebuildUnderLock },
};
const POOL_SIZE = 4;

export function addRebuild(projections: Command, terminal: Terminal): void {
  projections
    .command('rebuild')
    .description('empty a projection and fill it from the log again; no server may run meanwhile')
    .argument('<name>', Object.keys(REBUILDABLE).join(', '))
    .action(async (name: string, _options, command) => await rebuild(openSession(command, terminal), name));
}

async function rebuild({ config, terminal, printer }: Session, name: string): Promise<void> {
  const wanted = Object.hasOwn(REBUILDABLE, name) ? REBUILDABLE[name] : undefined;
  if (wanted === undefined) {
    throw new CommandFailure(
      EXIT.notFound,
      `There is no projection ${name}; there are ${Object.keys(REBUILDABLE).join(', ')}`,
    );
  }
  const progress = showProgress(terminal, `rebuilding ${name}`);
  const startedAt = performance.now();
  await withPool(config, async (pool) => await refill(pool, config, wanted, progress));
  progress.end();
  const seconds = Math.round(performance.now() - startedAt) / 1_000;
  printer.one({
    row: { projection: name, seconds },
    columns: [
      { title: 'rebuilt', value: (row) => row.projection },
      { title: 'seconds', value: (row) => row.seconds },
    ],
    id: (row) => row.projection,
  });
}

async function withPool(config: Config, work: (pool: Pool) => Promise<void>): Promise<void> {
  await withDatabase(config, async (connectionString) => {
    const { schema } = config;
    const pool = openPool({ connectionString, schema, max: POOL_SIZE, name: 'rebuild', statementTimeoutMs: 0 });
    try {
      await requireCurrentSchema(pool);
      await work(pool);
    } finally {
      await pool.end();
    }
  });
}

async function refill(
  pool: Pool,
  { logLevel, pollMs, streamPrefix }: Config,
  { create, rebuild: run }: Rebuildable,
  progress: Progress,
): Promise<void> {
  const log = await openPostgresLog({ pool, logger: createLogger({ level: logLevel, name: 'rebuild' }), pollMs });
  try {
    await run({
      pool,
      log,
      projection: create({ streamPrefix }),
      onProgress: (done, total) => progress.at(done, total),
    });
  } catch (error) {
    if (error instanceof RebuildRefused) throw new CommandFailure(EXIT.conflict, error.message);
    throw error;
  } finally {
    await log.close();
  }
}
