import { MAX_DELAY_SECONDS } from '#domain/job/limits';
import { CancelRequested, LeaseLost, ShuttingDown } from './abort-reasons.ts';
import type { Attempt } from './attempt.ts';
import type { Outcome } from './gateway.ts';
import { isJobError } from './job-error.ts';
import type { Snooze } from './snooze.ts';
import { Unstorable } from './storable.ts';
import { describeThrown } from './thrown.ts';

type Fail = Extract<Outcome, { kind: 'fail' }>;

export function failed(attempt: Attempt, thrown: unknown, overrides: Partial<Fail> = {}): Fail {
  return {
    kind: 'fail',
    fencingToken: attempt.fencingToken,
    error: describeThrown(thrown),
    why: 'error',
    ...adviceOf(thrown),
    ...overrides,
  };
}

/** Whether and when to try again, as the error says it. Even to look at what was thrown may throw: it can be a proxy. */
function adviceOf(thrown: unknown): Pick<Fail, 'retryable' | 'retryAfterSeconds'> {
  try {
    if (thrown instanceof Unstorable) return { retryable: false, retryAfterSeconds: null };
    if (isJobError(thrown))
      return { retryable: thrown.retryable, retryAfterSeconds: inRange(thrown.retryAfterSeconds) };
  } catch {
    // It says nothing, then.
  }
  return { retryable: true, retryAfterSeconds: null };
}

/** What is reported of an attempt whose result the scheduler did not take, whatever the reason. */
export function refusedResult({ fencingToken }: Pick<Outcome, 'fencingToken'>, detail: string): Fail {
  const error = { message: `The result was refused: ${detail}`, code: 'result-refused', stack: null };
  return { kind: 'fail', fencingToken, error, why: 'error', retryable: false, retryAfterSeconds: null };
}

export function released(attempt: Attempt, reason: string, delaySeconds = 0): Outcome {
  return { kind: 'release', fencingToken: attempt.fencingToken, delaySeconds, reason };
}

export function snoozed(attempt: Attempt, { seconds }: Snooze): Outcome {
  return released(attempt, 'snoozed by its handler', seconds);
}

/**
 * What a throw means depends on why the signal aborted. A handler that stops because its worker stops, or because its
 * lease could not be kept, is not at fault: the job is handed back without using up an attempt. One that stops because
 * of a cancel acknowledges it with the failure.
 */
export function outcomeOfThrow(attempt: Attempt, thrown: unknown): Outcome {
  const reason = attempt.abortReason;
  if (reason instanceof ShuttingDown) return released(attempt, 'the worker stopped');
  if (reason instanceof LeaseLost) return released(attempt, 'the lease could not be extended in time');
  if (reason instanceof CancelRequested && thrown === reason) return failed(attempt, thrown, { retryable: false });
  return failed(attempt, thrown);
}

/** Seconds that the scheduler takes, whatever the handler said. */
function inRange(seconds: number | null): number | null {
  if (seconds === null || Number.isNaN(seconds)) return null;
  return Math.min(MAX_DELAY_SECONDS, Math.max(0, seconds));
}
