import { InvalidArgumentError } from 'commander';

/** Parsers of option values. What the server judges anyway (names, instants, limits) is left to it. */

export function wholeNumber(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

export function positiveNumber(text: string): number {
  const number = wholeNumber(text);
  if (number < 1) throw new InvalidArgumentError('It must be a whole number from 1.');
  return number;
}

export function seconds(text: string): number {
  if (!/^\d{1,12}(\.\d{1,3})?$/.test(text)) throw new InvalidArgumentError('It must be a number of seconds.');
  return Number(text);
}

/** For options that may be given several times. */
export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

export function httpUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new InvalidArgumentError('It must begin with http:// or https://.');
  }
  return text;
}
