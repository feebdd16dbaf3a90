import type { Logger } from '#runtime/logger';
import { settledWithin } from '#runtime/timer';
import { ShuttingDown } from './abort-reasons.ts';
import type { Attempt } from './attempt.ts';
import type { ClaimLoop } from './claim-loop.ts';
import type { OutcomeQueue } from './outcome-queue.ts';
import { released } from './outcomes.ts';
import type { Presence } from './presence.ts';

/** How long handlers have to stop after their signal aborted. */
const ABORT_MS = 2000;
/** How long the last outcomes have, and then the goodbye, when the scheduler cannot be reached. */
const REPORT_MS = 3000;
const GOODBYE_MS = 1000;

export interface ShutdownOptions {
  readonly claims: ClaimLoop;
  readonly attempts: ReadonlyMap<Attempt, Promise<void>>;
  readonly outcomes: OutcomeQueue;
  readonly presence: Presence;
  readonly graceMs: number;
  readonly logger: Logger;
  /** Takes down what kept the worker going beside its jobs: the watches and the process guard. */
  readonly close: () => void;
}

/**
 * The order matters: nothing is claimed any more, then handlers end by themselves while their leases are still extended
 * and their outcomes recorded, then the rest is told to stop, then what is left is handed back.
 */
export async function shutDown(options: ShutdownOptions): Promise<void> {
  const { claims, attempts, outcomes, presence, graceMs, logger, close } = options;
  const begun = performance.now();
  const answered = claims.stop();
  presence.stopping();
  const left = () => Math.max(0, graceMs - (performance.now() - begun));

  await settledWithin(Promise.all([answered, allOf(attempts)]), left());
  // A claim still under way would get what is handed back now, only to hand it back again.
  await settledWithin(answered, Math.max(left(), REPORT_MS));
  if (attempts.size > 0) await abortRest(attempts);
  for (const attempt of attempts.keys()) handBack(attempt, logger);
  if (!(await settledWithin(outcomes.settled(), Math.max(left(), REPORT_MS)))) outcomes.giveUp();
  await settledWithin(presence.leave(), GOODBYE_MS);
  close();
}

async function abortRest(attempts: ShutdownOptions['attempts']): Promise<void> {
  for (const attempt of attempts.keys()) attempt.abort(new ShuttingDown('The worker stops'));
  await settledWithin(allOf(attempts), ABORT_MS);
}

/** The handler goes on, but its attempt is over: another worker can start the job at once. */
function handBack(attempt: Attempt, logger: Logger): void {
  if (attempt.settle(released(attempt, 'the worker stopped'))) {
    logger.warn({ jobId: attempt.jobId }, 'a handler did not stop in time; its job is handed back');
  }
}

async function allOf(attempts: ShutdownOptions['attempts']): Promise<void> {
  await Promise.all(attempts.values());
}
