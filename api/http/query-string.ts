import type { WrongField } from '../problems/problem.ts';

/** A query string as it was sent: each parameter with all its values, in order. */
export type RawQuery = Readonly<Record<string, readonly string[]>>;

const MALFORMED = Symbol('malformed');

/**
 * The one rule for query strings: `name=value` pairs between `&`, percent-encoded UTF-8, `+` for a space. A name may be
 * repeated where its parameter says so. Nothing else means anything: no brackets, no commas, no conversion.
 */
export function parseQueryString(text: string): RawQuery {
  const query: Record<string, string[]> & { [MALFORMED]?: true } = Object.create(null);
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const [name, value] = splitOnce(pair).map(decode) as [string | undefined, string | undefined];
    if (name === undefined || value === undefined) query[MALFORMED] = true;
    else if (query[name]) query[name].push(value);
    else query[name] = [value];
  }
  return query;
}

export function queryStringProblem(query: object): Extract<WrongField, { parameter: string }>[] {
  return MALFORMED in query ? [{ parameter: '', detail: 'the query string must be percent-encoded UTF-8' }] : [];
}

function splitOnce(pair: string): [string, string] {
  const at = pair.indexOf('=');
  return at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
