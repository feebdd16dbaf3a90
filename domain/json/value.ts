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
  const problems: FieldProblem[] = [];
  visit(value, pointer, 0, problems);
  return problems.slice(0, 20);
}

function visit(value: unknown, pointer: string, depth: number, problems: FieldProblem[]): void {
  const refuse = (detail: string) => {
    problems.push({ pointer, detail });
  };
  switch (typeof value) {
    case 'boolean':
      return;
    case 'string':
      if (!isStorableText(value)) refuse('must not contain NUL or half a surrogate pair');
      return;
    case 'number':
      if (!Number.isFinite(value)) refuse('must be a finite number');
      return;
    case 'object':
      if (value === null) return;
      if (depth >= MAX_DEPTH) return refuse(`must not be nested deeper than ${MAX_DEPTH} levels`);
      if (Array.isArray(value)) return visitItems(value, pointer, depth, problems);
      if (!isPlainObject(value)) return refuse('must be a JSON value');
      return visitMembers(value, pointer, depth, problems);
    case 'bigint':
    case 'function':
    case 'symbol':
    case 'undefined':
      refuse('must be a JSON value');
  }
}

function visitItems(items: readonly unknown[], pointer: string, depth: number, problems: FieldProblem[]): void {
  for (let index = 0; index < items.length; index += 1) visit(items[index], `${pointer}/${index}`, depth + 1, problems);
}

function visitMembers(object: object, pointer: string, depth: number, problems: FieldProblem[]): void {
  for (const [key, member] of Object.entries(object)) {
    const at = `${pointer}/${escapePointer(key)}`;
    if (key === '__proto__') problems.push({ pointer: at, detail: 'is not allowed as a key' });
    else if (!isStorableText(key))
      problems.push({ pointer: at, detail: 'must not contain NUL or half a surrogate pair' });
    else visit(member, at, depth + 1, problems);
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

/** Length in bytes of the value's JSON text in UTF-8. */
export function jsonBytes(value: JsonValue): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
