import { type Logger, pino } from 'pino';
import { POSTGRES_SUBMITTED } from '#bin/postgres-submitted';
import { createJobFeed } from '#bin/roles/job-feed';
import type { Commands } from '#commands/contract';
import { createCommands } from '#commands/create-commands';
import type { Job } from '#domain/job/state';
import { parseSubmit, type SubmitRequestInput } from '#domain/job/submit';
import type { JsonValue } from '#domain/json/value';
import { streamNames } from '#domain/streams';
import type { RecordedEvent } from '#log/port';
import { openPostgresLog } from '#log/postgres/store';
import { DueJobsTable } from '#projections/due-jobs/due-jobs';
import { dueJobsHook } from '#projections/due-jobs/hook';
import { LeaseRequestsTable } from '#projections/lease-requests/lease-requests';
import { newId } from '#runtime/ids';
import { openPool } from '#runtime/postgres/pool';
import type { AnyJobDefinition } from '#workers/define-job';
import type { WorkerGateway } from '#workers/gateway';
import { createLocalGateway } from '#workers/local-gateway';
import { startWorker, type Worker, type WorkerOptions } from '#workers/worker';
import { until } from '../support/until.ts';

const CALL = { actor: 'anonymous' };

/** One line of the worker's log. */
export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** Commands on a real log with its due table, and workers on them. */
export interface Rig {
  readonly commands: Commands;
  readonly lines: readonly LogLine[];
  readonly logger: Logger;
  gateway(workerId: string, jobs: readonly AnyJobDefinition[]): WorkerGateway;
  work(jobs: readonly AnyJobDefinition[], options?: Partial<WorkerOptions>): Worker;
  submit(type: string, request?: SubmitRequestInput): Promise<string>;
  job(id: string): Promise<Job>;
  events(id: string): Promise<readonly RecordedEvent[]>;
  /** The job once it is in this status. */
  reaches(id: string, status: Job['status'], timeoutMs?: number): Promise<Job>;
  cancel(id: string): Promise<void>;
  close(): Promise<void>;
}

export async function openRig(connectionString: string): Promise<Rig> {
  const pool = openPool({ connectionString, schema: 'holdfast', max: 8, name: 'worker test' });
  const { logger, lines } = recordingLogger();
  const names = streamNames();
  const log = await openPostgresLog({ pool, logger, pollMs: 200, hook: dueJobsHook({ streamPrefix: '' }) });
  const due = new DueJobsTable({
    pool,
    submitted: POSTGRES_SUBMITTED,
    fold: (ids) => commands.readMany(ids),
  });
  const clock = { now: () => Date.now() };
  const commands = createCommands({
    log,
    names,
    clock,
    due,
    random: Math.random,
    newId: () => newId(Date.now()),
    leaseRequests: new LeaseRequestsTable({ pool, dueJobs: due }),
    keyWindowSeconds: 86_400,
    observe: { written: () => {}, conflict: () => {}, staleWrite: () => {} },
  });
  const feed = createJobFeed(log, names);
  const workers: Worker[] = [];
  const job = async (id: string) => {
    const at = await commands.read(id);
    if (!at) throw new Error(`there is no job ${id}`);
    return at.job;
  };
  const gateway = (workerId: string, jobs: readonly AnyJobDefinition[]) =>
    createLocalGateway({
      commands,
      clock,
      workerId,
      queues: null,
      types: jobs.map(({ type }) => type),
      watchCancels: feed.watchCancels,
      touch: async () => {},
    });

  return {
    commands,
    lines,
    logger,
    gateway,
    work(jobs, options = {}) {
      const workerId = options.workerId ?? `w${workers.length + 1}`;
      const worker = startWorker({
        workerId,
        gateway: gateway(workerId, jobs),
        jobs,
        queues: null,
        concurrency: 10,
        pollMs: 100,
        shutdownSeconds: 0,
        version: 'test',
        logger,
        subscribeToWork: feed.subscribeToWork,
        ...options,
      });
      workers.push(worker);
      return worker;
    },
    async submit(type, request = {}) {
      const sent = { type, ...request };
      const item = { request: parseSubmit(sent), sent: sent as unknown as JsonValue, idempotencyKey: null };
      const [outcome] = await commands.submit([item], CALL);
      if (!outcome) throw new Error('a submit was not answered');
      return outcome.job.id;
    },
    job,
    events: async (id) => (await commands.history(id, { from: 0, limit: 1000 })) ?? [],
    reaches(id, status, timeoutMs) {
      return until(
        `job ${id} is ${status}`,
        async () => {
          const now = await job(id);
          return now.status === status && now;
        },
        timeoutMs,
      );
    },
    async cancel(id) {
      await commands.execute([{ jobId: id, command: { kind: 'cancel', reason: null } }], CALL);
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.stop()));
      await log.close();
      await pool.end();
    },
  };
}

function recordingLogger(): { logger: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => lines.push(JSON.parse(line) as LogLine) });
  return { logger, lines };
}
