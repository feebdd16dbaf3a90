import type { JsonObject, JsonValue } from '../json/value.ts';
import type { DeadReason, FailureCause, JobFailure, JobOrigin } from './events.ts';
import type { RetryPolicy } from './retry.ts';

/** What every job has, whatever its status. Instants are epoch milliseconds, durations seconds. */
export interface JobFacts {
  readonly id: string;
  readonly type: string;
  readonly queue: string;
  readonly payload: JsonObject;
  readonly priority: number;
  readonly tags: readonly string[];
  readonly createdAt: number;
  /** When the last event was recorded. */
  readonly updatedAt: number;
  /** The earliest start of the next attempt. */
  readonly scheduledAt: number;
  /** When the last claim was recorded. */
  readonly startedAt: number | null;
  readonly leaseSeconds: number;
  readonly timeoutSeconds: number | null;
  /** Claims of the cycle less releases; a replay begins a new cycle. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Lease expiries in a row. */
  readonly crashes: number;
  readonly maxCrashes: number;
  /** Over the whole life of the job, while `releasesInRow` counts since the last attempt that was used up. */
  readonly releases: number;
  readonly releasesInRow: number;
  readonly replays: number;
  /** Rises by one at every claim for the whole life of the job; 0 before the first. */
  readonly fencingToken: number;
  readonly retry: RetryPolicy;
  readonly lastError: JobError | null;
  readonly progress: JsonValue;
  readonly checkpoint: JsonValue;
  readonly origin: JobOrigin;
  readonly fingerprint: string;
  readonly idempotencyKey: string | null;
  readonly keyUse: number | null;
  /** Whether the idempotency key may be, or has been, used for another job. */
  readonly keyReleased: boolean;
  /** The id of the job's last event: what the next one names as its cause. */
  readonly lastEventId: string;
  /** Version of the job's last event, from 0. */
  readonly version: number;
}

export interface JobError extends JobFailure {
  readonly why: FailureCause;
  readonly attempt: number;
  readonly at: number;
}

export interface Lease {
  readonly workerId: string;
  readonly expiresAt: number;
  /** How long each heartbeat extends it, which the claim may have chosen. */
  readonly seconds: number;
  readonly requestId: string | null;
}

export interface CancelRequest {
  readonly requestedAt: number;
  readonly actor: string;
  readonly reason: string | null;
}

export type PendingJob = JobFacts & { readonly status: 'pending' };
export type RunningJob = JobFacts & {
  readonly status: 'running';
  readonly lease: Lease;
  readonly cancel: CancelRequest | null;
};
export type SucceededJob = JobFacts & {
  readonly status: 'succeeded';
  readonly result: JsonValue;
  readonly finishedAt: number;
  /** A cancel that came too late. */
  readonly cancel: CancelRequest | null;
};
export type DeadJob = JobFacts & {
  readonly status: 'dead';
  readonly deadReason: DeadReason;
  readonly finishedAt: number;
  /** Whether an operator has seen it. */
  readonly acknowledged: boolean;
};
export type CancelledJob = JobFacts & {
  readonly status: 'cancelled';
  readonly finishedAt: number;
  readonly cancel: CancelRequest;
};

export type Job = PendingJob | RunningJob | SucceededJob | DeadJob | CancelledJob;
export type JobStatus = Job['status'];
export type FinishedJob = SucceededJob | DeadJob | CancelledJob;

export const JOB_STATUSES = [
  'pending',
  'running',
  'succeeded',
  'dead',
  'cancelled',
] as const satisfies readonly JobStatus[];

export function isFinished(job: Job): job is FinishedJob {
  return job.status !== 'pending' && job.status !== 'running';
}

/**
 * When the job wants attention next: a pending one may be claimed, a running one loses its lease (or, when a cancel was
 * asked, the grace of one lease is over). Null for a finished one.
 */
export function dueAt(job: Job): number | null {
  switch (job.status) {
    case 'pending':
      return job.scheduledAt;
    case 'running':
      return job.cancel ? Math.min(job.lease.expiresAt, graceEndsAt(job.cancel, job.lease)) : job.lease.expiresAt;
    case 'succeeded':
    case 'dead':
    case 'cancelled':
      return null;
  }
}

/** A worker that was asked to cancel has one lease to say so. */
export function graceEndsAt(cancel: CancelRequest, lease: Lease): number {
  return cancel.requestedAt + lease.seconds * 1000;
}
