import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffSeconds, DEFAULT_RETRY, type RetryPolicy, retryPolicy } from '#domain/job/retry';

const ODD = [
  0,
  -0,
  -1,
  -1e15,
  1,
  0.5,
  2,
  10,
  1e6,
  1e308,
  -1e308,
  5e-324,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
];
const anyNumber = fc.oneof(fc.double(), fc.constantFrom(...ODD));

/** Policies as no parser would let them in: the arithmetic has to hold by itself. */
const anyPolicy: fc.Arbitrary<RetryPolicy> = fc.oneof(
  fc.record({ strategy: fc.constant('fixed' as const), delay_seconds: anyNumber, jitter: anyNumber }),
  fc.record({
    strategy: fc.constant('linear' as const),
    base_seconds: anyNumber,
    cap_seconds: anyNumber,
    jitter: anyNumber,
  }),
  fc.record({
    strategy: fc.constant('exponential' as const),
    base_seconds: anyNumber,
    factor: anyNumber,
    cap_seconds: anyNumber,
    jitter: anyNumber,
  }),
  fc.record({ strategy: fc.constant('list' as const), delays_seconds: fc.array(anyNumber), jitter: anyNumber }),
);

const YEAR = 31_536_000;

function capOf(policy: RetryPolicy): number {
  const cap = 'cap_seconds' in policy ? policy.cap_seconds : YEAR;
  return Number.isNaN(cap) ? YEAR : Math.min(YEAR, Math.max(0, cap));
}

describe('the wait before the next attempt', () => {
  it('lies within 0 and the cap for 2,000 attempts, whatever the policy says', () => {
    const property = fc.property(anyPolicy, anyNumber, (policy, random) => {
      const cap = capOf(policy);
      for (let attempt = 1; attempt <= 2000; attempt += 1) {
        const wait = backoffSeconds(policy, attempt, random);
        if (!(wait >= 0 && wait <= cap)) throw new Error(`attempt ${attempt} waits ${wait} s, cap ${cap} s`);
      }
    });
    fc.assert(property, { numRuns: 100 });
  });

  it('lies within 0 and the cap for any count of failures and any chance', () => {
    fc.assert(
      fc.property(anyPolicy, anyNumber, anyNumber, (policy, failures, random) => {
        const wait = backoffSeconds(policy, failures, random);
        return wait >= 0 && wait <= capOf(policy);
      }),
    );
  });

  it('grows by the factor up to the cap and stays there for 2,000 attempts', () => {
    const policy = { strategy: 'exponential', base_seconds: 1, factor: 10, cap_seconds: 200, jitter: 0 } as const;
    const waits = Array.from({ length: 2000 }, (_, index) => backoffSeconds(policy, index + 1, 0));
    expect(waits.slice(0, 4)).toEqual([1, 10, 100, 200]);
    expect(new Set(waits.slice(3))).toEqual(new Set([200]));
  });

  it('stays nothing for a base of nothing, even where the power overflows', () => {
    const policy = { strategy: 'exponential', base_seconds: 0, factor: 100, cap_seconds: 200, jitter: 0 } as const;
    expect(backoffSeconds(policy, 2000, 1)).toBe(0);
  });

  it('grows by the base with the linear strategy', () => {
    const policy = { strategy: 'linear', base_seconds: 3, cap_seconds: 10, jitter: 0 } as const;
    expect([1, 2, 3, 4, 2000].map((n) => backoffSeconds(policy, n, 0))).toEqual([3, 6, 9, 10, 10]);
  });

  it('is always the same with the fixed strategy', () => {
    const policy = { strategy: 'fixed', delay_seconds: 7.5, jitter: 0 } as const;
    expect([1, 2, 2000].map((n) => backoffSeconds(policy, n, 0))).toEqual([7.5, 7.5, 7.5]);
  });

  it('follows a list and repeats its last', () => {
    const policy = { strategy: 'list', delays_seconds: [5, 0, 60], jitter: 0 } as const;
    const waits = [1, 2, 3, 4, 2000].map((n) =>
      backoffSeconds({ ...policy, delays_seconds: [...policy.delays_seconds] }, n, 0),
    );
    expect(waits).toEqual([5, 0, 60, 60, 60]);
  });

  it('lies between (1 - jitter) times the delay and the delay, and reaches both', () => {
    const jitter = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(jitter, jitter, fc.double({ min: 0, max: YEAR, noNaN: true }), (spread, random, delay_seconds) => {
        const wait = (chance: number) =>
          backoffSeconds({ strategy: 'fixed', delay_seconds, jitter: spread }, 1, chance);
        const lowest = delay_seconds * (1 - spread);
        expect(wait(0)).toBeCloseTo(lowest, 5);
        expect(wait(1)).toBeCloseTo(delay_seconds, 5);
        expect(wait(random)).toBeGreaterThanOrEqual(wait(0));
        expect(wait(random)).toBeLessThanOrEqual(delay_seconds);
      }),
    );
  });

  it('doubles from a second up to an hour, half of it chance, when nobody says otherwise', () => {
    expect(DEFAULT_RETRY).toEqual({
      strategy: 'exponential',
      base_seconds: 1,
      factor: 2,
      cap_seconds: 3600,
      jitter: 0.5,
    });
    expect([1, 2, 3, 12, 13, 99].map((n) => backoffSeconds(DEFAULT_RETRY, n, 1))).toEqual([1, 2, 4, 2048, 3600, 3600]);
    expect(backoffSeconds(DEFAULT_RETRY, 3, 0)).toBe(2);
  });
});

describe('a retry policy', () => {
  it.each([
    [
      { strategy: 'fixed', delay_seconds: 0.5 },
      { strategy: 'fixed', delay_seconds: 0.5, jitter: 0.5 },
    ],
    [{ strategy: 'linear' }, { strategy: 'linear', base_seconds: 1, cap_seconds: 3600, jitter: 0.5 }],
    [
      { strategy: 'exponential', jitter: 0 },
      { ...DEFAULT_RETRY, jitter: 0 },
    ],
    [
      { strategy: 'list', delays_seconds: [1, 2] },
      { strategy: 'list', delays_seconds: [1, 2], jitter: 0.5 },
    ],
  ])('%j gets its defaults', (sent, complete) => {
    expect(retryPolicy.parse(sent)).toEqual(complete);
  });

  it.each([
    [{ strategy: 'fixed' }],
    [{ strategy: 'sometimes' }],
    [{ strategy: 'fixed', delay_seconds: -1 }],
    [{ strategy: 'fixed', delay_seconds: Number.NaN }],
    [{ strategy: 'fixed', delay_seconds: Number.POSITIVE_INFINITY }],
    [{ strategy: 'fixed', delay_seconds: 1e308 }],
    [{ strategy: 'fixed', delay_seconds: '1' }],
    [{ strategy: 'fixed', delay_seconds: 1, factor: 2 }],
    [{ strategy: 'exponential', factor: 0.5 }],
    [{ strategy: 'exponential', jitter: 1.01 }],
    [{ strategy: 'list', delays_seconds: [] }],
    [{ strategy: 'list', delays_seconds: [1, null] }],
  ])('%j is refused', (sent) => {
    expect(retryPolicy.safeParse(sent).success).toBe(false);
  });
});
