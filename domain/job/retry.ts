import { z } from 'zod';

/** A year: longer waits between attempts are a mistake, and keep every sum of instants far from overflow. */
const MAX_DELAY_SECONDS = 31_536_000;
const seconds = z.number().min(0).max(MAX_DELAY_SECONDS);
const jitter = z.number().min(0).max(1);

const DEFAULTS = { base_seconds: 1, factor: 2, cap_seconds: 3600, jitter: 0.5 } as const;

const fixed = { strategy: z.literal('fixed'), delay_seconds: seconds, jitter: jitter.default(DEFAULTS.jitter) };
const linear = {
  strategy: z.literal('linear'),
  base_seconds: seconds.default(DEFAULTS.base_seconds),
  cap_seconds: seconds.default(DEFAULTS.cap_seconds),
  jitter: jitter.default(DEFAULTS.jitter),
};
const exponential = {
  strategy: z.literal('exponential'),
  base_seconds: seconds.default(DEFAULTS.base_seconds),
  factor: z.number().min(1).max(100).default(DEFAULTS.factor),
  cap_seconds: seconds.default(DEFAULTS.cap_seconds),
  jitter: jitter.default(DEFAULTS.jitter),
};
const list = {
  strategy: z.literal('list'),
  delays_seconds: z.array(seconds).min(1).max(100),
  jitter: jitter.default(DEFAULTS.jitter),
};

/** How long to wait between attempts, as clients say it. */
export const retryPolicy = z.discriminatedUnion('strategy', [
  z.strictObject(fixed),
  z.strictObject(linear),
  z.strictObject(exponential),
  z.strictObject(list),
]);

/** The same as it is stored: a field that a later version adds is left out by this one, not refused. */
export const storedRetryPolicy = z.discriminatedUnion('strategy', [
  z.object(fixed),
  z.object(linear),
  z.object(exponential),
  z.object(list),
]);

export type RetryPolicy = z.output<typeof retryPolicy>;

export const DEFAULT_RETRY: RetryPolicy = { strategy: 'exponential', ...DEFAULTS };

/**
 * Seconds to wait after the n-th failure (from 1), jitter included: a delay d becomes a value from (1 - jitter) x d to d.
 *
 * Whatever comes in, the answer lies within [0, cap]: an exponential overflows to infinity long before 2,000 attempts, so
 * the cap is applied to the exponent's result and anything that is not a number counts as the cap.
 * @param random - From 0 to 1.
 */
export function backoffSeconds(policy: RetryPolicy, failures: number, random: number): number {
  const n = Number.isFinite(failures) ? Math.max(1, Math.floor(failures)) : 1;
  const share = Number.isFinite(random) ? Math.min(1, Math.max(0, random)) : 1;
  const spread = clamp(policy.jitter, 1);
  const delay = delayBeforeJitter(policy, n);
  return delay * (1 - spread + spread * share);
}

function delayBeforeJitter(policy: RetryPolicy, n: number): number {
  switch (policy.strategy) {
    case 'fixed':
      return clamp(policy.delay_seconds, MAX_DELAY_SECONDS);
    case 'linear':
      return clamp(policy.base_seconds * n, clamp(policy.cap_seconds, MAX_DELAY_SECONDS));
    case 'exponential':
      return clamp(policy.base_seconds * power(policy.factor, n - 1), clamp(policy.cap_seconds, MAX_DELAY_SECONDS));
    case 'list':
      return clamp(policy.delays_seconds[Math.min(n, policy.delays_seconds.length) - 1] ?? 0, MAX_DELAY_SECONDS);
  }
}

/** Finite where it overflows, so that a base of 0 stays 0. */
function power(base: number, exponent: number): number {
  return Math.min(base ** exponent, Number.MAX_VALUE);
}

function clamp(value: number, cap: number): number {
  return Number.isNaN(value) ? cap : Math.min(cap, Math.max(0, value));
}
