import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseInstant, plusSeconds, toInstantText } from '#domain/instant';
import { LAST_INSTANT } from '#domain/job/limits';

const FIRST_INSTANT = -62_167_219_200_000;

describe('an instant', () => {
  it.each([
    ['2026-11-30T12:00:00Z', '2026-11-30T12:00:00.000Z'],
    ['2026-11-30t12:00:00z', '2026-11-30T12:00:00.000Z'],
    ['2026-11-30T12:00:00.5Z', '2026-11-30T12:00:00.500Z'],
    ['2026-11-30T12:00:00.123999Z', '2026-11-30T12:00:00.123Z'],
    ['2026-11-30T12:00:00.000000001+00:00', '2026-11-30T12:00:00.000Z'],
    ['2026-11-30T12:00:00+02:00', '2026-11-30T10:00:00.000Z'],
    ['2026-11-30T00:15:00+14:00', '2026-11-29T10:15:00.000Z'],
    ['2026-12-31T23:45:00-05:30', '2027-01-01T05:15:00.000Z'],
    ['2026-11-30T12:00:00-00:00', '2026-11-30T12:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
    ['1600-02-29T00:00:00Z', '1600-02-29T00:00:00.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['0099-06-01T00:00:00Z', '0099-06-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is read as %s', (text, utc) => {
    const instant = parseInstant(text);
    expect(instant).toBeDefined();
    expect(toInstantText(instant as number)).toBe(utc);
  });

  it.each([
    ['2026-02-30T00:00:00Z'],
    ['2026-02-29T00:00:00Z'],
    ['1900-02-29T00:00:00Z'],
    ['2026-04-31T00:00:00Z'],
    ['2026-00-10T00:00:00Z'],
    ['2026-13-10T00:00:00Z'],
    ['2026-11-00T00:00:00Z'],
    ['2026-11-30T24:00:00Z'],
    ['2026-11-30T12:60:00Z'],
    // A leap second has no place among epoch milliseconds.
    ['2016-12-31T23:59:60Z'],
    ['2026-11-30T12:00:00'],
    ['2026-11-30T12:00Z'],
    ['2026-11-30'],
    ['2026-11-30 12:00:00Z'],
    ['2026-11-30T12:00:00.Z'],
    ['2026-11-30T12:00:00+0200'],
    ['2026-11-30T12:00:00+24:00'],
    ['2026-11-30T12:00:00+02:60'],
    ['10000-01-01T00:00:00Z'],
    ['+010000-01-01T00:00:00Z'],
    ['300000-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59.999-00:01'],
    ['0000-01-01T00:00:00+00:01'],
    ['-000001-01-01T00:00:00Z'],
    ['12'],
    [''],
    ['now'],
    ['1e3'],
    ['2026-11-30T12:00:00Z\n'],
    [' 2026-11-30T12:00:00Z'],
    ['２０２６-11-30T12:00:00Z'],
  ])('%j is refused', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  it('is the one that Date reads, for every text both accept', () => {
    const digits = (width: number, max: number) =>
      fc.integer({ min: 0, max }).map((number) => String(number).padStart(width, '0'));
    const offset = fc.oneof(
      fc.constant('Z'),
      fc
        .tuple(fc.constantFrom('+', '-'), digits(2, 23), digits(2, 59))
        .map(([sign, hours, minutes]) => `${sign}${hours}:${minutes}`),
    );
    const fraction = fc.constantFrom('', '.1', '.12', '.123', '.999');
    const parts = fc.tuple(
      digits(4, 9999),
      digits(2, 13),
      digits(2, 32),
      digits(2, 24),
      digits(2, 60),
      digits(2, 60),
      fraction,
      offset,
    );
    let both = 0;
    fc.assert(
      fc.property(parts, ([year, month, day, hour, minute, second, rest, zone]) => {
        const text = `${year}-${month}-${day}T${hour}:${minute}:${second}${rest}${zone}`;
        const [ours, theirs] = [parseInstant(text), Date.parse(text)];
        if (ours === undefined || Number.isNaN(theirs)) return;
        both += 1;
        expect(ours).toBe(theirs);
      }),
      { numRuns: 2000 },
    );
    expect(both).toBeGreaterThan(500);
  });

  it('is written as Date writes it, whatever was written before', () => {
    const instant = fc.oneof(
      fc.integer({ min: FIRST_INSTANT, max: LAST_INSTANT }),
      fc.double({ min: FIRST_INSTANT, max: LAST_INSTANT, noNaN: true }),
      fc.integer({ min: -3 * 86_400_000, max: 3 * 86_400_000 }),
    );
    fc.assert(
      fc.property(instant, (epochMs) => {
        expect(toInstantText(epochMs)).toBe(new Date(epochMs).toISOString());
      }),
      { numRuns: 2000 },
    );
    expect(() => toInstantText(Number.NaN)).toThrow(RangeError);
  });

  it('survives being written and read', () => {
    fc.assert(
      fc.property(fc.integer({ min: FIRST_INSTANT, max: LAST_INSTANT }), (instant) => {
        expect(parseInstant(toInstantText(instant))).toBe(instant);
      }),
    );
  });
});

describe('an instant some seconds later', () => {
  it('counts fractions to the millisecond', () => {
    expect(plusSeconds(1000, 0.25)).toBe(1250);
    expect(plusSeconds(1000, 0.0004)).toBe(1000);
  });

  it('never lies beyond the last instant, nor before the first', () => {
    for (const seconds of [1e15, 1e308, Number.POSITIVE_INFINITY]) expect(plusSeconds(0, seconds)).toBe(LAST_INSTANT);
  });

  it('is the instant itself for anything that is no wait at all', () => {
    for (const seconds of [-1, -1e308, Number.NEGATIVE_INFINITY, Number.NaN]) expect(plusSeconds(5, seconds)).toBe(5);
  });
});
