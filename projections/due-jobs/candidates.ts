import { isUnfoldable } from '#domain/history';
import type { Job } from '#domain/job/state';
import type { JsonObject } from '#domain/json/value';
import { decodeJobState, STATE_FORMAT } from '../job-state.ts';
import type { PayloadSource } from './payload-source.ts';

/** A due row as the statements answer it; with the data of `Submitted` only when they read it themselves. */
export interface DueRecord {
  readonly job_id: string;
  readonly version: number;
  readonly state_format: number;
  readonly state: object;
  readonly submitted: { readonly payload: JsonObject } | null;
}

export interface RecordReader {
  readonly payloads: PayloadSource;
  /** Folds a job from its stream: for rows that another version of the program wrote. */
  fold(jobId: string): Promise<Job | null>;
}

/** The SQL of the column `submitted` for a statement over due rows. */
export function submittedColumn(source: PayloadSource, enteredColumn: string): string {
  return `${source.kind === 'sql' ? source.submittedAt(enteredColumn) : 'NULL::json'} AS submitted`;
}

/** The jobs of some due rows, in their order. One whose events cannot be read is left out. */
export async function jobsOf(records: readonly DueRecord[], reader: RecordReader): Promise<readonly Job[]> {
  const { payloads } = reader;
  const ids = records.map((record) => record.job_id);
  const read = payloads.kind === 'read' && ids.length > 0 ? await payloads.read(ids) : undefined;
  const jobs = await Promise.all(
    records.map((record) => {
      const payload = read ? read.get(record.job_id) : record.submitted?.payload;
      if (payload === undefined || record.state_format !== STATE_FORMAT) {
        return reader.fold(record.job_id).catch(unlessUnfoldable);
      }
      return decodeJobState(record.job_id, record.state, payload);
    }),
  );
  return jobs.filter((job) => job !== null);
}

function unlessUnfoldable(error: unknown): null {
  if (isUnfoldable(error)) return null;
  throw error;
}
