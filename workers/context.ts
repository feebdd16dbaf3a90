import type { JsonValue } from '#domain/json/value';
import type { Logger } from '#runtime/logger';
import type { JobSnapshot } from './job-snapshot.ts';
import type { Snooze } from './snooze.ts';

/** What a handler gets beside its input. */
export interface JobContext {
  /** The job as it was claimed. */
  readonly job: JobSnapshot;
  /** From 1; claims of the cycle that used up an attempt, this one included. */
  readonly attempt: number;
  /** Rises with every claim of the job. Pass it on to systems that can refuse an older number. */
  readonly fencingToken: number;
  /** Aborts with a `LeaseLost`, `CancelRequested`, `TimedOut`, `ShuttingDown` or `HandlerCrashed` as its reason. */
  readonly signal: AbortSignal;
  /** Writes to the worker's log, each line naming the job and its attempt. */
  readonly log: Logger;
  /** What `saveCheckpoint` saved last, in this attempt or an earlier one; null at first. */
  readonly checkpoint: JsonValue;
  /**
   * Shows progress (JSON, at most 16 KiB) and extends the lease now. The lease is extended by itself as well, so
   * nobody needs to call this. Calls that come while one is under way are sent as one, the latest progress winning.
   * @returns Settled when it is recorded; rejected with the signal's reason when the attempt has been lost.
   */
  heartbeat(progress?: JsonValue): Promise<void>;
  /** Saves where to go on after a crash (JSON, at most 16 KiB); recorded as a heartbeat is. */
  saveCheckpoint(checkpoint: JsonValue): Promise<void>;
  /** `return ctx.snooze(30)` hands the job back for 30 seconds without using up an attempt. */
  snooze(seconds: number): Snooze;
}
