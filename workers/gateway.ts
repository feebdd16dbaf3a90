import type { WorkerFacts } from '#commands/contract';
import type { JobCommand } from '#domain/job/commands';
import type { JobSnapshot } from './job-snapshot.ts';

/** A job this worker holds since a claim. */
export interface HeldLease {
  readonly job: JobSnapshot;
  readonly fencingToken: number;
  /** Of this claim; every beat extends the lease by as much. */
  readonly leaseSeconds: number;
}

export interface ClaimAnswer {
  readonly leases: readonly HeldLease[];
  /** `performance.now()` from before the claim was sent for the first time: no lease began earlier. */
  readonly claimedAt: number;
  /** Milliseconds until the next job that waits for its time is due; null when there is none, or it is not known. */
  readonly nextDueInMs: number | null;
}

export type Outcome = Extract<JobCommand, { kind: 'complete' | 'fail' | 'release' }>;
export type Beat = Extract<JobCommand, { kind: 'heartbeat' }>;

/** One write of an attempt. The command carries the fencing token of the claim. */
export interface Report<C extends Outcome | Beat> {
  readonly jobId: string;
  readonly command: C;
}

/** `lost`: the token no longer holds the job. `refused`: it never will be accepted, for the reason given. */
export type ReportAnswer =
  | { readonly kind: 'accepted'; readonly cancelRequested: boolean }
  | { readonly kind: 'lost' }
  | { readonly kind: 'refused'; readonly detail: string };

/** A sign of life: no event, but what `GET /v1/workers` shows. */
export interface WorkerSign extends WorkerFacts {
  /** It takes no new jobs. */
  readonly stopping: boolean;
}

/**
 * How a worker reaches the scheduler. Any call may throw: the worker takes that as "not known" and asks again.
 */
export interface WorkerGateway {
  /** The most that one claim brings. */
  readonly mostJobs: number;
  /**
   * Claims due jobs of the types and queues the gateway was made for. A call may wait for work a little, but no longer
   * than the worker could afford to lose of the shortest lease.
   */
  claim(maxJobs: number): Promise<ClaimAnswer>;
  /** Each judged alone, answered in order. Repeating a batch whose answer was lost changes nothing. */
  report(reports: readonly Report<Outcome>[]): Promise<readonly ReportAnswer[]>;
  beat(beats: readonly Report<Beat>[]): Promise<readonly ReportAnswer[]>;
  /** Calls back with the id of every job whose cancel is requested, until the signal aborts. */
  watchCancels(onRequested: (jobId: string) => void, signal: AbortSignal): Promise<void>;
  started(worker: WorkerFacts): Promise<void>;
  stopped(workerId: string): Promise<void>;
  seen(sign: WorkerSign): Promise<void>;
}
