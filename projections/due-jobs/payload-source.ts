import type { JsonObject } from '#domain/json/value';

/**
 * Where picked jobs get their payload from, which only the log keeps.
 *
 * `sql`: an expression over `job_id`, given the column's name, that reads it in the same statement. For the Postgres log:
 * `` (id) => `(SELECT e.data -> 'payload' FROM events e WHERE e.stream = 'job-' || ${id} AND e.version = 0)` ``.
 * `read`: a call of its own, for logs that live elsewhere. A job that it does not answer is not offered.
 */
export type PayloadSource =
  | { readonly kind: 'sql'; expression(jobIdColumn: string): string }
  | { readonly kind: 'read'; read(jobIds: readonly string[]): Promise<ReadonlyMap<string, JsonObject>> };
