import type { ApiContext } from '../context.ts';
import type { LeaseCall } from './claim-wait.ts';

const MARK_EVERY_MS = 2000;
const MAX_KNOWN = 10_000;

/**
 * Marks the workers of lease calls as seen, each at most every two seconds. A mark is for people and for the hint that a
 * type has no worker: losing one is no reason to refuse work.
 */
export function seenWorkers({ reads, clock }: Pick<ApiContext, 'reads' | 'clock'>) {
  const marked = new Map<string, number>();
  return async ({ workerId, queues, types }: LeaseCall): Promise<void> => {
    const now = performance.now();
    const key = JSON.stringify([workerId, queues, types]);
    if (now - (marked.get(key) ?? Number.NEGATIVE_INFINITY) < MARK_EVERY_MS) return;
    if (marked.size >= MAX_KNOWN) marked.clear();
    marked.set(key, now);
    const mark = { workerId, queues, types, at: clock.now() };
    await reads.touchWorkers([mark]).catch(() => marked.delete(key));
  };
}
