import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_ERROR_TEXT_BYTES } from '#domain/job/limits';
import { boundedText } from '#domain/job/text';
import { isStorableText } from '#domain/json/value';

const bytes = (text: string) => Buffer.byteLength(text);

describe('error text', () => {
  it('stays as it is up to 16 KiB', () => {
    for (const text of ['', 'boom', 'x'.repeat(MAX_ERROR_TEXT_BYTES), '€'.repeat(5461)])
      expect(boundedText(text)).toBe(text);
  });

  it('is cut beyond that, and says so with the whole length', () => {
    const cut = boundedText('x'.repeat(MAX_ERROR_TEXT_BYTES + 1));
    expect(bytes(cut)).toBe(MAX_ERROR_TEXT_BYTES);
    expect(cut).toMatch(/^x+ \[cut, 16385 bytes in all\]$/);
  });

  it('is not cut within a character, wherever the cut falls', () => {
    for (const character of ['é', '€', '😀']) {
      for (let shift = 0; shift < 4; shift += 1) {
        const cut = boundedText('x'.repeat(shift) + character.repeat(10_000));
        expect(bytes(cut)).toBeLessThanOrEqual(MAX_ERROR_TEXT_BYTES);
        expect(bytes(cut)).toBeGreaterThan(MAX_ERROR_TEXT_BYTES - 4);
        expect(cut).not.toContain('\ufffd');
        expect(cut.replace(/^x*/, '').startsWith(character)).toBe(true);
      }
    }
  });

  it('shows NUL and halves of surrogate pairs as replacement characters', () => {
    expect(boundedText('a\u0000b\ud800c\udc00')).toBe('a\ufffdb\ufffdc\ufffd');
  });

  it('can always be stored, and is the same when it is bounded again', () => {
    const anyText = fc.string({
      unit: fc.constantFrom('a', '\u0000', '\ud83d', '\ude00', '€', '\ufeff'),
      maxLength: 30_000,
      size: 'max',
    });
    fc.assert(
      fc.property(anyText, (text) => {
        const bounded = boundedText(text);
        expect(isStorableText(bounded)).toBe(true);
        expect(bytes(bounded)).toBeLessThanOrEqual(MAX_ERROR_TEXT_BYTES);
        expect(boundedText(bounded)).toBe(bounded);
      }),
      { numRuns: 50 },
    );
  });
});
