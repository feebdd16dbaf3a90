import type { Call, CommandOutcome, Commands } from '#commands/contract';
import type { RunningJob } from '#domain/job/state';
import { jobView } from '#domain/job/view';
import type { Clock } from '#runtime/clock';
import type { Beat, HeldLease, Outcome, Report, ReportAnswer, WorkerGateway, WorkerSign } from './gateway.ts';
import { jobSnapshot } from './job-snapshot.ts';

export interface LocalGatewayOptions {
  readonly commands: Commands;
  readonly clock: Clock;
  readonly workerId: string;
  /** Null means any. */
  readonly queues: readonly string[] | null;
  readonly types: readonly string[];
  /** Follows the log's `CancelRequested` events from now on. `bin` wires it, since workers do not know the log. */
  readonly watchCancels: WorkerGateway['watchCancels'];
  /** Marks the worker as seen in its read table. */
  readonly touch: (sign: WorkerSign) => Promise<void>;
}

/** A claim of so many fills a flush of the log. */
const MOST_JOBS = 1000;

/** The way of a worker that lives in one process with the commands: no HTTP between them. */
export function createLocalGateway(options: LocalGatewayOptions): WorkerGateway {
  const { commands, clock, workerId, queues, types } = options;
  const call: Call = { actor: `worker:${workerId}` };

  const execute = async (reports: readonly Report<Outcome | Beat>[]) =>
    (await commands.execute(reports, call)).map(reportAnswer);

  return {
    mostJobs: MOST_JOBS,
    async claim(maxJobs) {
      const claimedAt = performance.now();
      const outcome = await commands.claim(
        { queues, types, workerId, maxJobs, leaseSeconds: null, requestId: null },
        call,
      );
      if (outcome.kind !== 'claimed') throw new Error(`a claim without a request id was refused: ${outcome.kind}`);
      const nextDueInMs = outcome.nextDueAt === null ? null : Math.max(0, outcome.nextDueAt - clock.now());
      return { leases: outcome.jobs.map(heldLease), claimedAt, nextDueInMs };
    },
    report: execute,
    beat: execute,
    watchCancels: options.watchCancels,
    async started(worker) {
      await commands.workerStarted(worker, call);
    },
    async stopped(id) {
      await commands.workerStopped(id, call);
    },
    seen: options.touch,
  };
}

function heldLease(job: RunningJob): HeldLease {
  return { job: jobSnapshot(jobView(job)), fencingToken: job.fencingToken, leaseSeconds: job.lease.seconds };
}

function reportAnswer(outcome: CommandOutcome): ReportAnswer {
  switch (outcome.kind) {
    case 'done':
      return {
        kind: 'accepted',
        cancelRequested: outcome.job.status === 'running' && outcome.job.cancel !== null,
      };
    case 'rejected':
      return outcome.rejection.code === 'lease-lost'
        ? { kind: 'lost' }
        : { kind: 'refused', detail: outcome.rejection.code };
    case 'failed':
      return { kind: 'refused', detail: outcome.error.message };
    case 'not-found':
      return { kind: 'refused', detail: 'there is no such job' };
  }
}
