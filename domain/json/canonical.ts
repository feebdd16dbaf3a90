import type { JsonValue } from './value.ts';

/**
 * Canonical JSON of RFC 8785: members sorted by UTF-16 code units, numbers and strings as ECMAScript writes them, no
 * white space. Two requests with the same meaning give the same text.
 */
export function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const object = value as { readonly [key: string]: JsonValue };
  const members = Object.keys(object)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key] as JsonValue)}`);
  return `{${members.join(',')}}`;
}
