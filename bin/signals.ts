/** Two signals closer together than this are one: Ctrl-C reaches npm and us within a millisecond of each other. */
const ONE_KEY_PRESS_MS = 500;

const NUMBERS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;

/**
 * Resolves at the first signal to stop. A second one, later than half a second after it, ends the process at once: the
 * leases it holds end by themselves.
 */
export function untilToldToStop(onSecond: () => void = () => undefined): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let firstAt: number | null = null;
  for (const signal of Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]) {
    process.on(signal, () => {
      if (firstAt === null) {
        firstAt = performance.now();
        resolve(signal);
      } else if (performance.now() - firstAt > ONE_KEY_PRESS_MS) {
        onSecond();
        process.exit(128 + NUMBERS[signal]);
      }
    });
  }
  return promise;
}
