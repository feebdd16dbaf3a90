import { setTimeout as delay } from 'node:timers/promises';

const LOOK_EVERY_MS = 50;

/**
 * Looks again and again until the answer is something; the answer.
 * @throws when it does not come in time.
 */
export async function until<T>(what: string, withinMs: number, look: () => Promise<T | false | 0 | null>): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await look();
    if (answer) return answer;
    if (performance.now() > deadline) throw new Error(`not within ${Math.round(withinMs / 1_000)} s: ${what}`);
    await delay(LOOK_EVERY_MS);
  }
}
