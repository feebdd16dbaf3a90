import type { JsonObject } from '#domain/json/value';

/**
 * Where picked jobs get their payload from, which only the log keeps.
 *
 * `sql`: an expression that reads the data of `Submitted` in the same statement, given the column with the log number at
 * which the job entered the table; null when another event (`Replayed`) stands there, and the job is folded from its
 * stream. By number it costs a quarter of what it costs by stream, and the whole data less than a field cut out of it.
 * `read`: a call of its own, for logs that live elsewhere. A job that it does not answer is not offered.
 */
export type PayloadSource =
  | { readonly kind: 'sql'; submittedAt(enteredColumn: string): string }
  | { readonly kind: 'read'; read(jobIds: readonly string[]): Promise<ReadonlyMap<string, JsonObject>> };
