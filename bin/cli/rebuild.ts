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
import type { ProjectionName } from '../projection-names.ts';
import { CommandFailure } from './command-failure.ts';
import { withDatabase } from './database.ts';
import { EXIT } from './exit-codes.ts';
import type { Progress } from './progress.ts';

interface Rebuildable {
  readonly create: (options: { readonly streamPrefix: string }) => Projection;
  readonly rebuild: typeof rebuildOffline;
}

/** `due_jobs` is written by the appends themselves, which therefore have to wait while it is refilled. */
const REBUILDABLE: Readonly<Record<ProjectionName, Rebuildable>> = {
  jobs: { create: jobsProjection, rebuild: rebuildOffline },
  workers: { create: workersProjection, rebuild: rebuildOffline },
  due_jobs: { create: dueJobsProjection, rebuild: rebuildUnderLock },
};
const POOL_SIZE = 4;

/** Empties a projection and fills it from the log. @throws CommandFailure when a running process works on it. */
export async function rebuildProjection(config: Config, name: ProjectionName, progress: Progress): Promise<void> {
  await withPool(config, async (pool) => await refill(pool, config, REBUILDABLE[name], progress));
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
