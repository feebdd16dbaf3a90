export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** One thing that is wrong with a request: a JSON Pointer (RFC 6901) into the body, and a sentence. */
export interface FieldProblem {
  readonly pointer: string;
  readonly detail: string;
}

/** Deep enough for any real document; JSON.stringify itself overflows the stack some thousands of levels further. */
export const MAX_DEPTH = 100;

/** More than anyone reads; and a circle of objects would go on for ever. */
const MAX_PROBLEMS = 20;

/**
 * Finds what JSON text cannot carry to every reader unchanged: numbers that are not finite, text with NUL or half a
 * surrogate pair (Postgres refuses them), `__proto__` as a key, too deep nesting, and, for values that never were JSON
 * text, anything that is no JSON value.
 * @returns All problems, at most 20.
 */
export function jsonProblems(value: unknown, pointer = ''): FieldProblem[] {
  if (isFlawless(value, 0)) return [];
  const found: FieldProblem[] = [];
  for (const problem of problemsIn(value, pointer, 0)) {
    found.push(problem);
    if (found.length === MAX_PROBLEMS) break;
  }
  return found;
}

/** Whether there is nothing to find, which is nearly always so and takes a fraction of the time that naming places does. */
function isFlawless(value: unknown, depth: number): boolean {
  if (problemOf(value, depth) !== null) return false;
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (!isFlawless(item, depth + 1)) return false;
    return true;
  }
  for (const key of Object.keys(value)) {
    if (key === '__proto__' || !isStorableText(key)) return false;
    if (!isFlawless((value as Readonly<Record<string, unknown>>)[key], depth + 1)) return false;
  }
  return true;
}

/** One after the other as they are asked for, so that whoever has enough stops the search. */
function* problemsIn(value: unknown, pointer: string, depth: number): Generator<FieldProblem> {
  const detail = problemOf(value, depth);
  if (detail !== null) yield { pointer, detail };
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* problemsIn(item, `${pointer}/${index}`, depth + 1);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      const at = `${pointer}/${escapePointer(key)}`;
      if (key === '__proto__') yield { pointer: at, detail: 'is not allowed as a key' };
      else if (!isStorableText(key)) yield { pointer: at, detail: UNSTORABLE };
      else yield* problemsIn(member, at, depth + 1);
    }
  }
}

const UNSTORABLE = 'must not contain NUL or half a surrogate pair';

/** What is wrong with a value itself, whatever it contains. */
function problemOf(value: unknown, depth: number): string | null {
  switch (typeof value) {
    case 'boolean':
      return null;
    case 'string':
      return isStorableText(value) ? null : UNSTORABLE;
    case 'number':
      return Number.isFinite(value) ? null : 'must be a finite number';
    case 'object':
      if (value === null) return null;
      if (depth >= MAX_DEPTH) return `must not be nested deeper than ${MAX_DEPTH} levels`;
      return Array.isArray(value) || isPlainObject(value) ? null : 'must be a JSON value';
    case 'bigint':
    case 'function':
    case 'symbol':
    case 'undefined':
      return 'must be a JSON value';
  }
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Text that Postgres and every UTF-8 reader can keep: no NUL, no half of a surrogate pair. */
export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** One token of a JSON Pointer, as RFC 6901 writes it. Text that cannot be sent back is replaced in it. */
export function escapePointer(token: string): string {
  return token.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Whether the value's JSON text has at most so many bytes of UTF-8. */
export function fitsJsonBytes(value: JsonValue, most: number): boolean {
  const text = JSON.stringify(value);
  // No UTF-16 unit takes more than three bytes, so most values need not be encoded to know.
  return text.length * 3 <= most || (text.length <= most && new TextEncoder().encode(text).length <= most);
}
