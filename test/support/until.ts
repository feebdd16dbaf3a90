import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits until a condition holds, looking every 10 ms. The answer is what the predicate gave at last.
 * @throws with the description when it does not hold in time.
 */
export async function until<T>(
  description: string,
  predicate: () => T | Promise<T>,
  timeoutMs = 10_000,
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await predicate();
    if (value) return value as Exclude<T, false | null | undefined>;
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${description}`);
    await delay(10);
  }
}
