import { PRIORITY_STEP_MS } from './limits.ts';

/**
 * The order of pending jobs: lower first. One step of priority is worth a minute of waiting, so higher priority goes
 * first, yet old work of low priority overtakes without any re-sorting. Ties go by the log position of `Submitted`.
 * @param dueAt - Epoch milliseconds.
 */
export function rank(dueAt: number, priority: number): number {
  return dueAt - priority * PRIORITY_STEP_MS;
}
