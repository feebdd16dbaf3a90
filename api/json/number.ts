interface Decimal {
  /** Significant digits, without zeros at either end; empty for zero. */
  readonly digits: string;
  /** The number is 0.digits x 10^exponent. */
  readonly exponent: number;
}

/** A double printed with 17 digits always reads back as itself, so so many digits never mean more than the double. */
const DOUBLE_DIGITS = 17;
/** Shorter tokens without exponent are always exact. */
const EXACT_LENGTH = 15;

/**
 * Why a JSON number cannot be kept as it was written, or undefined when it can: as a double it would become another
 * number without anybody noticing.
 */
export function numberProblem(token: string): string | undefined {
  if (token.length <= EXACT_LENGTH && !/[eE]/.test(token)) {
    return token.startsWith('-') && Number(token) === 0 ? 'must not be -0, whose sign readers lose' : undefined;
  }
  const value = Number(token);
  if (!Number.isFinite(value)) return 'is beyond the range of a double';
  const written = decimalOf(token);
  if (value === 0) {
    if (written.digits !== '') return 'is too small for a double and would become 0';
    return token.startsWith('-') ? 'must not be -0, whose sign readers lose' : undefined;
  }
  return Number.isInteger(value) ? wholeProblem(token, value, written) : fractionProblem(value, written);
}

function wholeProblem(token: string, value: number, written: Decimal): string | undefined {
  if (Number.isSafeInteger(value)) {
    return same(written, decimalOf(String(value)))
      ? undefined
      : 'has more digits than a double keeps; send it as a string';
  }
  // 1e300 is as good as it looks; a whole number spelled out promises every digit, which readers cannot keep.
  const spelledOut = !/[.eE]/.test(token);
  if (!spelledOut && same(written, decimalOf(String(value)))) return undefined;
  return 'is a whole number beyond 2^53 - 1, which many readers change; send it as a string';
}

function fractionProblem(value: number, written: Decimal): string | undefined {
  if (written.digits.length <= DOUBLE_DIGITS || same(written, decimalOf(String(value)))) return undefined;
  return 'has more digits than a double keeps; send it as a string';
}

function same(a: Decimal, b: Decimal): boolean {
  return a.digits === b.digits && a.exponent === b.exponent;
}

function decimalOf(token: string): Decimal {
  const [mantissa = '', exponentText = '0'] = token.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = whole + fraction;
  const leading = /^0*/.exec(all)?.[0].length ?? 0;
  const digits = all.slice(leading).replace(/0+$/, '');
  return { digits, exponent: digits === '' ? 0 : whole.length - leading + Number(exponentText.replace('+', '')) };
}
