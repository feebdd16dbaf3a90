/*
 * Arrays as PostgreSQL reads them. The driver can write them, too, but looks at every element several times, which is a
 * good part of what an append or a batch of a thousand costs in this process.
 */

/** For values whose text needs no quotes: numbers, booleans, UUIDs. */
export function plainArray(values: readonly (number | bigint | boolean | string | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}

/** For JSON texts. They hold no raw control characters, so the quoting of JSON is the quoting of arrays. */
export function jsonTextArray(texts: readonly string[]): string {
  return `{${texts.map((text) => JSON.stringify(text)).join(',')}}`;
}

const NEEDS_NO_QUOTES = /^(?!null$)[\w.:-]+$/i;

/** For any text. */
export function textArray(texts: readonly (string | null)[]): string {
  return `{${texts.map(quoted).join(',')}}`;
}

function quoted(text: string | null): string {
  if (text === null) return 'NULL';
  return NEEDS_NO_QUOTES.test(text) ? text : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
