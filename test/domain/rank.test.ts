import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LAST_INSTANT } from '#domain/job/limits';
import { rank } from '#domain/job/rank';

const MINUTE = 60_000;
const instant = fc.integer({ min: 0, max: LAST_INSTANT });
const priority = fc.integer({ min: -100, max: 100 });

describe('the rank', () => {
  it('puts higher priority first among jobs due at once', () => {
    fc.assert(
      fc.property(instant, priority, priority, (dueAt, one, other) => {
        expect(Math.sign(rank(dueAt, one) - rank(dueAt, other))).toBe(Math.sign(other - one) + 0);
      }),
    );
  });

  it('puts the one due first before within one priority', () => {
    fc.assert(
      fc.property(instant, instant, priority, (one, other, both) => {
        expect(rank(one, both) < rank(other, both)).toBe(one < other);
      }),
    );
  });

  it('lets old work of low priority overtake after a minute for each step', () => {
    const old = rank(0, 0);
    expect(old).toBeGreaterThan(rank(10 * MINUTE - 1, 10));
    expect(old).toBe(rank(10 * MINUTE, 10));
    expect(old).toBeLessThan(rank(10 * MINUTE + 1, 10));
  });

  it('is a whole number that every table and every client can keep', () => {
    fc.assert(fc.property(instant, priority, (dueAt, step) => Number.isSafeInteger(rank(dueAt, step))));
  });
});
