import type { Logger } from '#runtime/logger';

const LOOK_MS = 250;
const SHOWN_JOBS = 10;

/**
 * Warns when something kept the event loop busy for longer than `maxLagMs`: meanwhile no lease of this process could be
 * extended. It cannot tell which handler it was, so it names all that were running.
 * @returns What stops it.
 */
export function watchLoopLag(maxLagMs: number, running: () => readonly string[], logger: Logger): () => void {
  let due = performance.now() + LOOK_MS;
  let before = running();
  const timer = setInterval(() => {
    const now = performance.now();
    const lagMs = Math.round(now - due);
    if (lagMs > maxLagMs && before.length > 0) {
      const jobs = before.slice(0, SHOWN_JOBS);
      logger.warn(
        { lagMs, jobs, running: before.length },
        'a handler blocked the event loop; leases could not be extended meanwhile',
      );
    }
    due = now + LOOK_MS;
    before = running();
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
