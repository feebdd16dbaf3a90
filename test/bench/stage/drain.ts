import { setTimeout as delay } from 'node:timers/promises';
import type { Handled } from '../children/calls.ts';
import { instant } from '../children/instant.ts';
import { handledOnce, requireAll } from './handled-once.ts';
import type { Stage } from './stage.ts';

const LOOK_EVERY_MS = 10;

export interface Drained {
  /** From the first call that starts a worker to the moment the product's own state has nothing left. */
  readonly seconds: number;
  /** Handlers started, of all workers. */
  readonly started: number;
  readonly complete: boolean;
}

/** Starts so many worker processes at once on what waits, until all is done or, at the latest, so many seconds later. */
export async function drain(
  stage: Stage,
  plan: { readonly jobs: number; readonly workers: number; readonly mostSeconds: number },
): Promise<Drained> {
  while (stage.workers.length < plan.workers) await stage.addWorker();
  await Promise.all(stage.workers.map((worker) => worker.call('expect', 0, plan.jobs)));
  const begins = await Promise.all(stage.workers.map((worker) => worker.call('startWorker')));
  const begin = Math.min(...begins);
  const deadline = begin + plan.mostSeconds * 1000;
  for (;;) {
    const started = await startedCount(stage);
    const complete = started >= plan.jobs && (await stage.load.call('isDrained'));
    const now = instant();
    if (complete || now > deadline) return { seconds: (now - begin) / 1000, started, complete };
    await delay(LOOK_EVERY_MS);
  }
}

export async function startedCount(stage: Stage): Promise<number> {
  const counts = await Promise.all(stage.workers.map((worker) => worker.call('handledCount')));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** What all workers saw, as one. @throws when a job was started twice. */
export async function handledByAll(stage: Stage): Promise<Handled> {
  return handledOnce(await Promise.all(stage.workers.map((worker) => worker.call('handled'))));
}

/** @throws when a job never ran, ran twice, or is not finished in the product's own state. */
export async function verify(stage: Stage, jobs: number): Promise<void> {
  requireAll(await handledByAll(stage));
  await stage.load.call('audit', jobs);
}
