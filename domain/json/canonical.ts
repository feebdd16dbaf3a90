import type { JsonValue } from './value.ts';

/**
 * Canonical JSON of RFC 8785: members sorted by UTF-16 code units, numbers and strings as ECMAScript writes them, no
 * white space. Two requests with the same meaning give the same text.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === 'string') return quoted(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const object = value as { readonly [key: string]: JsonValue };
  let members = '';
  for (const key of Object.keys(object).sort()) {
    members += `${members && ','}${quoted(key)}:${canonicalJson(object[key] as JsonValue)}`;
  }
  return `{${members}}`;
}

/** ASCII letters that JSON text carries as they are. */
const NEEDS_NO_ESCAPE = /^[ !#-[\]-~]*$/;

/** As `JSON.stringify` writes it, which costs three times as much where there is nothing to escape. */
function quoted(text: string): string {
  return NEEDS_NO_ESCAPE.test(text) ? `"${text}"` : JSON.stringify(text);
}
