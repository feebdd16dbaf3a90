import { type JsonValue, jsonProblems } from '#domain/json/value';

/** A value that the log could never keep, however often the handler made it. */
export class Unstorable extends Error {
  override readonly name = 'Unstorable';
  readonly code = 'not-storable';
}

export interface Stored {
  readonly value: JsonValue;
  /** Length of the JSON text in bytes of UTF-8. */
  readonly bytes: number;
}

/**
 * A value of user code as the log will keep it: what JSON text of it says, `undefined` as null.
 * @param what - Begins the error's sentence, such as `the result`.
 * @throws Unstorable, or whatever a getter or `toJSON` of the value throws.
 */
export function storable(value: unknown, what: string, maxBytes: number): Stored {
  const text = jsonText(value, what);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) {
    throw new Unstorable(
      `${what} has ${bytes} bytes of JSON, more than ${maxBytes}; keep large data elsewhere and pass a reference`,
    );
  }
  const parsed = JSON.parse(text) as JsonValue;
  const [problem] = jsonProblems(parsed);
  if (problem) throw new Unstorable(`${what} cannot be stored: ${problem.pointer || '/'} ${problem.detail}`);
  return { value: parsed, bytes };
}

/** Where JSON text may hide a loss: a null that was no number, a whole number with more digits than a double keeps. */
const MAY_HIDE_A_LOSS = /null|[0-9]{16}/;

function jsonText(value: unknown, what: string): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'function' || typeof value === 'symbol') {
    throw new Unstorable(`${what} cannot be stored: it is a ${typeof value}`);
  }
  try {
    // Without a replacer it takes a third of the time. Whatever this does not settle is written again, with one.
    const text = JSON.stringify(value);
    if (!MAY_HIDE_A_LOSS.test(text)) return text;
  } catch {
    // What was thrown is thrown again below, or said in our words.
  }
  return carefulJsonText(value, what);
}

function carefulJsonText(value: unknown, what: string): string {
  try {
    return JSON.stringify(value, (_key, member: unknown) => refuseLossy(member, what)) ?? 'null';
  } catch (error) {
    if (isCircular(error)) throw new Unstorable(`${what} cannot be stored: it refers to itself`);
    if (error instanceof RangeError) throw new Unstorable(`${what} cannot be stored: ${error.message}`);
    throw error;
  }
}

/** JSON.stringify would write null for numbers that are none; and the API refuses whole numbers that readers change. */
function refuseLossy(member: unknown, what: string): unknown {
  if (typeof member === 'bigint') throw new Unstorable(`${what} cannot be stored: it has a BigInt; write it as text`);
  if (typeof member === 'number' && !Number.isFinite(member)) {
    throw new Unstorable(`${what} cannot be stored: it has the number ${member}`);
  }
  if (typeof member === 'number' && isSpelledOutBeyondReaders(member)) {
    throw new Unstorable(
      `${what} cannot be stored: it has ${member}, a whole number beyond 2^53 - 1; write it as text`,
    );
  }
  return member;
}

/** From 1e21 on, JSON text has an exponent and promises no digits. */
function isSpelledOutBeyondReaders(number: number): boolean {
  return Number.isInteger(number) && !Number.isSafeInteger(number) && Math.abs(number) < 1e21;
}

/** The engine's own words are the only way to tell its TypeError from one of the value's getters. */
function isCircular(error: unknown): boolean {
  return error instanceof TypeError && error.message.startsWith('Converting circular structure');
}
