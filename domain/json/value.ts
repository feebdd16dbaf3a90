export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** One thing that is wrong with a request: a JSON Pointer (RFC 6901) into the body, and a sentence. */
export interface FieldProblem {
  readonly pointer: string;
  readonly detail: string;
}

/** Deep enough for any real document; JSON.stringify itself overflows the stack some thousands of levels further. */
export const MAX_DEPTH = 100;

/**
 * Finds what JSON text cannot carry to every reader unchanged: numbers that are not finite or lose digits, text with NUL
 * or half a surrogate pair (Postgres refuses them), `__proto__` as a key, too deep nesting, and, for values that never
 * were JSON text, anything that is no JSON value.
 * @returns All problems, at most 20.
 */
export function jsonProblems(value: unknown, pointer = ''): FieldProblem[] {
  return problemsIn(value, pointer, 0).slice(0, 20);
}

function problemsIn(value: unknown, pointer: string, depth: number): FieldProblem[] {
  switch (typeof value) {
    case 'boolean':
      return [];
    case 'string':
      return isStorableText(value) ? [] : refuse(pointer, 'must not contain NUL or half a surrogate pair');
    case 'number':
      return Number.isFinite(value) ? [] : refuse(pointer, 'must be a finite number');
    case 'object':
      return value === null ? [] : problemsInside(value, pointer, depth);
    case 'bigint':
    case 'function':
    case 'symbol':
    case 'undefined':
      return refuse(pointer, 'must be a JSON value');
  }
}

function problemsInside(value: object, pointer: string, depth: number): FieldProblem[] {
  if (depth >= MAX_DEPTH) return refuse(pointer, `must not be nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => problemsIn(item, `${pointer}/${index}`, depth + 1));
  }
  if (!isPlainObject(value)) return refuse(pointer, 'must be a JSON value');
  return Object.entries(value).flatMap(([key, member]) => {
    const at = `${pointer}/${escapePointer(key)}`;
    if (key === '__proto__') return refuse(at, 'is not allowed as a key');
    if (!isStorableText(key)) return refuse(at, 'must not contain NUL or half a surrogate pair');
    return problemsIn(member, at, depth + 1);
  });
}

function refuse(pointer: string, detail: string): FieldProblem[] {
  return [{ pointer, detail }];
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

/** Length in bytes of the value's JSON text in UTF-8. */
export function jsonBytes(value: JsonValue): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
