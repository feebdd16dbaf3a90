const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 5000;

/** Doubles with every try, from 1; the random half keeps a crowd of clients from coming back in step. */
export function backoffMs(tries: number): number {
  return Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (tries - 1)) * (0.5 + Math.random() / 2);
}

/** Resolves after `ms`, or as soon as the signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}
