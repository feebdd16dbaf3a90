/** Node's timers hold 31 bits of milliseconds; what is longer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Calls back once after `ms`, however long that is. @returns What cancels it. */
export function timerAfter(ms: number, callback: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = (left: number) => {
    const step = Math.min(Math.max(0, left), LONGEST_TIMER_MS);
    timer = setTimeout(() => (left > step ? arm(left - step) : callback()), step);
  };
  arm(ms);
  return () => clearTimeout(timer);
}

/** Calls back every `ms`, without keeping the process alive. @returns What ends it. */
export function every(ms: number, callback: () => void): () => void {
  const timer = setInterval(callback, ms).unref();
  return () => clearInterval(timer);
}

/** Resolves after `ms`, or as soon as the signal aborts. Never rejects. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = timerAfter(ms, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** True when the work settled within `ms`. */
export async function settledWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const over = new AbortController();
  const settled = work.then(
    () => true,
    () => true,
  );
  const inTime = await Promise.race([settled, pause(ms, over.signal).then(() => false)]);
  over.abort();
  return inTime;
}

/** From 75 % to 125 % of a delay, so that a crowd of processes does not move in step. */
export function jittered(ms: number): number {
  return ms * (0.75 + Math.random() / 2);
}

/**
 * How long to wait after so many failures in a row (from 0) before the next try: doubles from `firstMs` to `longestMs`; the
 * random half keeps a crowd of processes from coming back in step.
 */
export function backoffMs(failures: number, limits: { readonly firstMs: number; readonly longestMs: number }): number {
  return Math.min(limits.longestMs, limits.firstMs * 2 ** failures) * (0.5 + Math.random() / 2);
}
