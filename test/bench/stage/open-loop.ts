import { setTimeout as delay } from 'node:timers/promises';
import type { Handled, OpenLoop } from '../children/calls.ts';
import { instant } from '../children/instant.ts';
import { handledByAll, startedCount } from './drain.ts';
import type { Stage } from './stage.ts';

const LOOK_EVERY_MS = 50;
const ENDS_HEARD_WITHIN_MS = 5_000;

/** Instants of every job of an open loop, epoch milliseconds, by the order in which they were to be sent. */
export interface Timeline {
  readonly sentAt: Float64Array;
  readonly acknowledgedAt: Float64Array;
  readonly startedAt: Float64Array;
  readonly doneAt: Float64Array;
}

/**
 * Submits at a rate to the worker that runs, and waits until all is done. `null`: it was not, so many seconds after the
 * last submit was acknowledged.
 */
export async function runOpenLoop(stage: Stage, plan: OpenLoop, mostSecondsAfter: number): Promise<Timeline | null> {
  const { first, jobs } = plan;
  await Promise.all(stage.workers.map((worker) => worker.call('expect', first, jobs)));
  const { sentAt, acknowledgedAt } = await stage.load.call('submitOpen', plan);
  const deadline = instant() + mostSecondsAfter * 1000;
  while ((await startedCount(stage)) < jobs || !(await stage.load.call('isDrained'))) {
    if (instant() > deadline) return null;
    await delay(LOOK_EVERY_MS);
  }
  const { startedAt, doneAt } = await everyEnd(stage, first, jobs);
  return { sentAt, acknowledgedAt, startedAt, doneAt };
}

/** A worker may hear of the last ends a moment after the store has them. @throws when some are never heard of. */
async function everyEnd(stage: Stage, first: number, jobs: number): Promise<Handled> {
  const deadline = instant() + ENDS_HEARD_WITHIN_MS;
  for (;;) {
    const handled = await handledByAll(stage);
    for (const [n, at] of await stage.load.call('doneTimes')) {
      if (n >= first && n < first + jobs) handled.doneAt[n - first] = at;
    }
    if (!handled.startedAt.includes(0) && !handled.doneAt.includes(0)) return handled;
    if (instant() > deadline) throw new Error('a job has no start or no end');
    await delay(LOOK_EVERY_MS);
  }
}

/** Milliseconds from one instant of each job to another. */
export function between(from: Float64Array, to: Float64Array): Float64Array {
  return to.map((at, index) => at - (from[index] ?? Number.NaN));
}

/** The most jobs that were sent, or were to be, and not done at the same time. */
export function largestBacklog({ sentAt, doneAt }: Pick<Timeline, 'sentAt' | 'doneAt'>): number {
  const arrivals = sentAt.toSorted();
  const ends = doneAt.toSorted();
  let most = 0;
  let ended = 0;
  for (const [index, at] of arrivals.entries()) {
    while ((ends[ended] ?? Number.POSITIVE_INFINITY) <= at) ended += 1;
    most = Math.max(most, index + 1 - ended);
  }
  return most;
}

/** Jobs that were sent and not done when the last was sent. */
export function backlogAtEnd({ sentAt, doneAt }: Timeline): number {
  const end = sentAt.at(-1) ?? 0;
  return doneAt.reduce((count, at) => count + (at > end ? 1 : 0), 0);
}
