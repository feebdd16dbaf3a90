import { type Logger, pino } from 'pino';
import { fold } from '#domain/job/evolve';
import type { EventLog } from '#log/port';
import { openPostgresLog } from '#log/postgres/store';
import { DueJobsTable } from '#projections/due-jobs/due-jobs';
import { dueJobsHook } from '#projections/due-jobs/hook';
import type { PayloadSource } from '#projections/due-jobs/payload-source';
import { readRecordedJobEvent } from '#projections/job-events';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

export const silent: Logger = pino({ level: 'silent' });

/** A database with a Postgres log that writes `due_jobs` through its hook, as an installation has it. */
export interface Rig extends TestDatabase {
  readonly log: EventLog;
  readonly dueJobs: DueJobsTable;
  close(): Promise<void>;
}

export const payloadsOfPostgresLog: PayloadSource = {
  kind: 'sql',
  expression: (id) => `(SELECT e.data -> 'payload' FROM events e WHERE e.stream = 'job-' || ${id} AND e.version = 0)`,
};

export async function openRig(options: { hook: boolean } = { hook: true }): Promise<Rig> {
  const database = await createTestDatabase();
  const log = await openPostgresLog({
    pool: database.pool,
    logger: silent,
    pollMs: 200,
    ...(options.hook ? { hook: dueJobsHook({ streamPrefix: '' }) } : {}),
  });
  const foldJob = (jobId: string) => foldFromLog(log, jobId);
  const dueJobs = new DueJobsTable({ pool: database.pool, payloads: payloadsOfPostgresLog, fold: foldJob });
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
  return fold(jobId, events.map(readRecordedJobEvent));
}
