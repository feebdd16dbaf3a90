/*
 * Why a handler's signal aborted: `ctx.signal.reason` is one of these, and `signal.throwIfAborted()` throws it.
 */

/** The lease could not be extended in time, or was ended: another worker may start the job. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
  readonly code = 'lease-lost';
}

/** Somebody asked for the job to be cancelled. Ending by a throw confirms it; a result is still accepted. */
export class CancelRequested extends Error {
  override readonly name = 'CancelRequested';
  readonly code = 'cancel-requested';
}

/** The job's `timeout_seconds` are over. The attempt counts as failed whatever the handler does now. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
  readonly code = 'timeout';
}

/** The worker stops and the grace is over: the job is handed back without using up an attempt. */
export class ShuttingDown extends Error {
  override readonly name = 'ShuttingDown';
  readonly code = 'shutting-down';
}

/** Code that the handler started threw where nobody could catch it, so the attempt has failed already. */
export class HandlerCrashed extends Error {
  override readonly name = 'HandlerCrashed';
  readonly code = 'handler-crashed';
}

export type AbortReason = LeaseLost | CancelRequested | TimedOut | ShuttingDown | HandlerCrashed;
