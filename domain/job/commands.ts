import type { JsonValue } from '../json/value.ts';
import type { FailureCause } from './events.ts';
import type { JobStatus } from './state.ts';

/** What a worker reports of a failed attempt. */
export interface ReportedError {
  readonly message: string;
  readonly code: string | null;
  readonly stack: string | null;
}

/** Commands on an existing job. The fencing token of a worker's command is the one its claim got. */
export type JobCommand =
  | {
      readonly kind: 'claim';
      readonly workerId: string;
      readonly leaseSeconds: number | null;
      readonly requestId: string | null;
    }
  | {
      readonly kind: 'heartbeat';
      readonly fencingToken: number;
      readonly progress?: JsonValue;
      readonly checkpoint?: JsonValue;
    }
  | { readonly kind: 'complete'; readonly fencingToken: number; readonly result: JsonValue }
  | {
      readonly kind: 'fail';
      readonly fencingToken: number;
      readonly error: ReportedError;
      readonly why: Exclude<FailureCause, 'lease-expired'>;
      readonly retryable: boolean;
      readonly retryAfterSeconds: number | null;
    }
  | {
      readonly kind: 'release';
      readonly fencingToken: number;
      readonly delaySeconds: number;
      readonly reason: string | null;
    }
  | { readonly kind: 'end-lease' }
  | { readonly kind: 'cancel'; readonly reason: string | null }
  | { readonly kind: 'replay'; readonly reason: string | null; readonly maxAttempts: number | null }
  | { readonly kind: 'reschedule'; readonly scheduledAt: number | null; readonly priority: number | null }
  | { readonly kind: 'acknowledge'; readonly reason: string | null }
  | { readonly kind: 'release-key' };

/** What a decision may depend on beside the job: everything that is not pure comes in here. */
export interface DecisionContext {
  /** Epoch milliseconds by the one clock. */
  readonly now: number;
  /** From 0 to 1, for jitter. */
  readonly random: number;
}

/** Why a command was refused, with what a caller needs to go on. */
export type Rejection =
  /** The token is not, or no longer, the one that holds the job. */
  | { readonly code: 'lease-lost'; readonly status: JobStatus; readonly fencingToken: number }
  /** The job's time has not come. */
  | { readonly code: 'not-due'; readonly scheduledAt: number }
  /** The lease has not ended yet. */
  | { readonly code: 'lease-not-over'; readonly dueAt: number }
  | { readonly code: 'not-pending'; readonly status: JobStatus }
  | { readonly code: 'not-dead'; readonly status: JobStatus }
  | { readonly code: 'already-final'; readonly status: JobStatus }
  /** The job's idempotency key belongs to another job by now. */
  | { readonly code: 'unique-held' };
