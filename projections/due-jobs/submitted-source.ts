import type { StoredJobEvent } from '#domain/job/upcast';

/**
 * Where picked jobs get their `Submitted` event from: it has the payload, which only the log keeps, and all there is to a
 * job that was never claimed.
 *
 * `sql`: a lateral query for the same statement, given the column with the log number at which the job entered the table.
 * It answers `SubmittedRow`, or no row when another event (`Replayed`) stands there; the job is then folded from its stream.
 * By number the event costs a quarter of what it costs by stream.
 * `read`: a call of its own, for logs that live elsewhere. A job that it does not answer is folded from its stream.
 */
export type SubmittedSource =
  | { readonly kind: 'sql'; lateral(enteredColumn: string): string }
  | { readonly kind: 'read'; read(jobIds: readonly string[]): Promise<ReadonlyMap<string, StoredJobEvent>> };

export interface SubmittedRow {
  readonly submitted_id: string;
  readonly submitted_type: string;
  readonly submitted_schema_version: number;
  /** Epoch milliseconds, as the driver hands over a `bigint`. */
  readonly submitted_at: string;
  readonly submitted_data: unknown;
  readonly submitted_metadata: { readonly actor: string };
}

/** The statement over due rows under the name `due`, completed with the columns of `SubmittedRow`. */
export function withSubmitted(source: SubmittedSource, select: string, from: string): string {
  if (source.kind === 'read') return `SELECT ${select} FROM ${from}`;
  // OFFSET 0 keeps it a lookup for each row, whatever the planner believes of tables that were never analyzed.
  return `SELECT ${select}, submitted.* FROM ${from}
    LEFT JOIN LATERAL (${source.lateral('due.entered_position')} OFFSET 0) AS submitted ON true`;
}

export function submittedEvent(row: SubmittedRow): StoredJobEvent {
  return {
    id: row.submitted_id,
    type: row.submitted_type,
    data: row.submitted_data,
    metadata: { ...row.submitted_metadata, schema_version: row.submitted_schema_version },
    version: 0,
    recordedAt: Number(row.submitted_at),
  };
}
