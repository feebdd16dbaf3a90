import { isUnfoldable } from '#domain/history';
import { evolve } from '#domain/job/evolve';
import type { Job } from '#domain/job/state';
import { recordedJobEvent, type StoredJobEvent } from '#domain/job/upcast';
import type { JsonObject } from '#domain/json/value';
import { decodeJobState, STATE_FORMAT } from '../job-state.ts';
import { type SubmittedRow, type SubmittedSource, submittedEvent } from './submitted-source.ts';

/** A due row as the statements answer it; with its `Submitted` event only when they read it themselves. */
export type DueRecord = {
  readonly job_id: string;
  readonly version: number;
  readonly state_format: number;
  readonly state: object | null;
} & (SubmittedRow | { readonly [field in keyof SubmittedRow]?: null });

export interface RecordReader {
  readonly submitted: SubmittedSource;
  /**
   * Folds jobs from their streams, for rows that do not say enough, or that another version of the program wrote. One that
   * cannot be folded is left out.
   */
  fold(jobIds: readonly string[]): Promise<ReadonlyMap<string, Job>>;
}

/** The jobs of some due rows, in their order. One whose events cannot be read is left out. */
export async function jobsOf(records: readonly DueRecord[], reader: RecordReader): Promise<readonly Job[]> {
  const { submitted } = reader;
  const ids = records.map((record) => record.job_id);
  const read = submitted.kind === 'read' && ids.length > 0 ? await submitted.read(ids) : undefined;
  const jobs = records.map((record) => {
    const event = read ? read.get(record.job_id) : eventOf(record);
    return event && jobOf(record, event);
  });
  const wanting = ids.filter((_, index) => jobs[index] === undefined);
  const folded = wanting.length > 0 ? await reader.fold(wanting) : undefined;
  return jobs.flatMap((job, index) => job ?? folded?.get(ids[index] as string) ?? []);
}

function eventOf(record: DueRecord): StoredJobEvent | undefined {
  return typeof record.submitted_id === 'string' ? submittedEvent(record as SubmittedRow) : undefined;
}

/** Null when the event cannot be read, undefined when the row and the event together do not say enough. */
function jobOf({ job_id, version, state_format, state }: DueRecord, submitted: StoredJobEvent): Job | null | undefined {
  if (version === 0) return readable(() => evolve(job_id, null, recordedJobEvent(submitted)));
  if (state === null || state_format !== STATE_FORMAT) return undefined;
  return decodeJobState(job_id, state, (submitted.data as { readonly payload: JsonObject }).payload);
}

function readable(fold: () => Job): Job | null {
  try {
    return fold();
  } catch (error) {
    if (isUnfoldable(error)) return null;
    throw error;
  }
}
