import { type Logger, pino } from 'pino';
import { POSTGRES_SUBMITTED } from '#bin/postgres-submitted';
import { fold } from '#domain/job/evolve';
import { recordedJobEvent } from '#domain/job/upcast';
import type { EventLog, StreamAppend } from '#log/port';
import { openPostgresLog } from '#log/postgres/store';
import { DueJobsTable } from '#projections/due-jobs/due-jobs';
import { dueJobsHook } from '#projections/due-jobs/hook';
import type { Projection } from '#projections/projector/projection';
import { startProjector } from '#projections/projector/projector';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

export const silent: Logger = pino({ level: 'silent' });

/** A database with a Postgres log that writes `due_jobs` through its hook, as an installation has it. */
export interface Rig extends TestDatabase {
  readonly log: EventLog;
  readonly dueJobs: DueJobsTable;
  close(): Promise<void>;
}

export async function openRig(options: { hook: boolean } = { hook: true }): Promise<Rig> {
  const database = await createTestDatabase();
  const log = await openPostgresLog({
    pool: database.pool,
    logger: silent,
    pollMs: 200,
    ...(options.hook ? { hook: dueJobsHook({ streamPrefix: '' }) } : {}),
  });
  const fold = async (jobIds: readonly string[]) => {
    const jobs = await Promise.all(jobIds.map((jobId) => foldFromLog(log, jobId)));
    return new Map(jobs.flatMap((job) => (job ? [[job.id, job] as const] : [])));
  };
  const dueJobs = new DueJobsTable({ pool: database.pool, submitted: POSTGRES_SUBMITTED, fold });
  return {
    ...database,
    log,
    dueJobs,
    close: async () => {
      await log.close();
      await database.drop();
    },
  };
}

export async function foldFromLog(log: EventLog, jobId: string) {
  const events = await log.readStream(`job-${jobId}`);
  return fold(jobId, events.map(recordedJobEvent));
}

export async function appendAll(log: EventLog, appends: readonly StreamAppend[]): Promise<void> {
  // One stream occurs only once in a call.
  for (const append of appends) await log.append([append]);
}

/** Runs a projector until it has seen everything that is in the log now. */
export async function catchUp(
  rig: Pick<Rig, 'log' | 'pool'>,
  projections: readonly Projection[],
  options: { pageSize?: number } = {},
): Promise<void> {
  const head = await rig.log.head();
  const projector = startProjector({ ...rig, logger: silent, ownerId: 'test', projections, ...options });
  const names = projections.map(({ name }) => name);
  await until(
    'the projections are up to date',
    async () => {
      const { rows } = await rig.pool.query<{ position: string }>(
        'SELECT position FROM projections WHERE name = ANY ($1) AND position >= $2',
        [names, head],
      );
      return rows.length === names.length;
    },
    60_000,
  );
  await projector.stop();
}
