import type { Pool } from 'pg';
import type { Commands } from '#commands/contract';
import { createCommands } from '#commands/create-commands';
import type { JobEventType } from '#domain/job/events';
import type { Job } from '#domain/job/state';
import { type StreamNames, streamNames } from '#domain/streams';
import type { EventLog } from '#log/port';
import { openPostgresLog } from '#log/postgres/store';
import { DueJobsTable } from '#projections/due-jobs/due-jobs';
import { dueJobsHook } from '#projections/due-jobs/hook';
import { LeaseRequestsTable } from '#projections/lease-requests/lease-requests';
import { type DatabaseClock, startDatabaseClock } from '#runtime/database-clock';
import { newId } from '#runtime/ids';
import type { Logger } from '#runtime/logger';
import type { Metrics } from '#runtime/metrics';
import { createListener } from '#runtime/postgres/listener';
import { openPool } from '#runtime/postgres/pool';
import { POSTGRES_SUBMITTED } from './postgres-submitted.ts';

export interface CoreOptions {
  readonly connectionString: string;
  readonly schema: string;
  readonly streamPrefix: string;
  readonly keyWindowSeconds: number;
  readonly pollMs: number;
  readonly logger: Logger;
  readonly metrics?: Metrics;
  /** Shown in `pg_stat_activity`. */
  readonly name: string;
}

/** What every role is built on: the log, the commands that write to it, and the table that proposes work. */
export interface Core {
  readonly log: EventLog;
  readonly commands: Commands;
  readonly names: StreamNames;
  readonly clock: DatabaseClock;
  /** For read tables; the log and the due table have connections of their own. */
  readonly tables: Pool;
  /** Takes no more work and closes what was opened. Roles have to be stopped before. */
  close(): Promise<void>;
}

/** Beats and outcomes never wait behind a list query: what writes has its own connections. */
const WRITING_CONNECTIONS = 8;
const READING_CONNECTIONS = 6;

/** Wires the parts together for one process. The schema has to be current. */
export async function composeCore(options: CoreOptions): Promise<Core> {
  const { connectionString, schema, logger, streamPrefix, pollMs, metrics, name } = options;
  const session = { connectionString, schema, logger };
  const writing = openPool({ ...session, max: WRITING_CONNECTIONS, name: `${name} log`, statementTimeoutMs: 10_000 });
  const tables = openPool({ ...session, max: READING_CONNECTIONS, name: `${name} tables` });
  const listener = createListener({ connectionString, logger });
  const end = async () => {
    await listener.close();
    await Promise.all([writing.end(), tables.end()]);
  };
  try {
    const clock = await startDatabaseClock(writing, { logger });
    const hook = dueJobsHook({ streamPrefix });
    const log = await openPostgresLog({ pool: writing, logger, pollMs, hook, listener });
    const names = streamNames(streamPrefix);
    const due = new DueJobsTable({ pool: writing, submitted: POSTGRES_SUBMITTED, fold: foldFrom(() => commands) });
    const commands = createCommands({
      log,
      names,
      clock,
      random: Math.random,
      newId: () => newId(clock.now()),
      due,
      leaseRequests: new LeaseRequestsTable({ pool: writing, dueJobs: due }),
      keyWindowSeconds: options.keyWindowSeconds,
      observe: metrics ? countIn(metrics) : UNOBSERVED,
    });
    const close = async () => {
      clock.stop();
      await log.close();
      await end();
    };
    return { log, commands, names, clock, tables, close };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Due rows that do not say enough are read from their streams; the commands come after the table that they pick from. */
function foldFrom(commands: () => Commands) {
  return (jobIds: readonly string[]) => commands().readMany(jobIds);
}

const UNOBSERVED = { written: () => undefined, conflict: () => undefined, staleWrite: () => undefined };

function countIn(metrics: Metrics) {
  const count: Partial<Record<JobEventType, (job: Job) => void>> = {
    Submitted: () => metrics.jobsSubmitted.inc(),
    Claimed: () => metrics.jobsStarted.inc(),
    Succeeded: () => metrics.jobsFinished.inc({ outcome: 'succeeded' }),
    DeadLettered: () => metrics.jobsFinished.inc({ outcome: 'dead' }),
    Cancelled: () => metrics.jobsFinished.inc({ outcome: 'cancelled' }),
    // One that ends the job is counted by what it ended as.
    Failed: ({ status }) => status === 'pending' && metrics.jobsFinished.inc({ outcome: 'failed' }),
    Released: () => metrics.jobsFinished.inc({ outcome: 'released' }),
  };
  return {
    written: (type: JobEventType, job: Job) => count[type]?.(job),
    conflict: () => metrics.appendConflicts.inc(),
    staleWrite: () => metrics.staleWrites.inc(),
  };
}
