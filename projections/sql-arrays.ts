/**
 * An array as PostgreSQL reads it, for values whose text needs no quotes (numbers, booleans, UUIDs). The driver would look
 * at every element to find that out, which shows in appends of a thousand.
 */
export function plainArray(values: readonly (number | bigint | boolean | string | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}
