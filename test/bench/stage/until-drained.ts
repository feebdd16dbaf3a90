import { setTimeout as delay } from 'node:timers/promises';
import type { Stage } from './stage.ts';

const LOOK_EVERY_MS = 20;

/** Resolves when the product's own state has nothing left to do. The limit of the run ends the wait. */
export async function untilDrained(stage: Stage): Promise<void> {
  while (!(await stage.load.call('isDrained'))) await delay(LOOK_EVERY_MS);
}
