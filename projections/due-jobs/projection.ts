import type { Job } from '#domain/job/state';
import { streamNames } from '#domain/streams';
import type { RecordedEvent } from '#log/port';
import { int8Array, uuidArray } from '#runtime/postgres/arrays';
import { loadSql } from '#runtime/postgres/sql';
import { eventsByJob, type FoldedJob, foldBatch, foldFromStreams } from '../job-fold.ts';
import { decodeJobState, STATE_FORMAT } from '../job-state.ts';
import { positionNumber } from '../positions/position-number.ts';
import type { Projection, ProjectionSource } from '../projector/projection.ts';
import { type DueRow, dueChange } from './change.ts';
import { DUE_COLUMN_TYPES, dueColumns } from './columns.ts';

interface StateRow {
  readonly job_id: string;
  readonly version: number;
  readonly entered_position: string;
  readonly state_format: number;
  readonly state: object | null;
}

/** A job as the batch finds it, and when it entered the table. */
interface KnownJob {
  readonly job: Job;
  readonly entered: number;
}

const LOAD = loadSql(import.meta.url, 'load.sql');
const WRITE = { functionName: 'due_jobs_write', types: [...DUE_COLUMN_TYPES, 'bigint[]', 'uuid[]'] };

/** `due_jobs` filled from the log: for logs that cannot write it with the append, and for a rebuild. */
export function dueJobsProjection(options: { readonly streamPrefix: string }): Projection {
  const names = streamNames(options.streamPrefix);
  return {
    name: 'due_jobs',
    schemaVersion: 1,
    tables: ['due_jobs'],
    async prepare(events, source) {
      const byJob = eventsByJob(events, names.jobIdOf);
      const known = await loadJobs(byJob, source, names.job);
      const { jobs, parked } = foldBatch(byJob, new Map([...known].map(([jobId, { job }]) => [jobId, job])));
      return {
        parked,
        write: jobs.length === 0 ? null : { ...WRITE, values: writeParameters(jobs, known) },
      };
    },
  };
}

function writeParameters(jobs: readonly FoldedJob[], known: ReadonlyMap<string, KnownJob>): unknown[] {
  const rows: DueRow[] = [];
  const entered: number[] = [];
  const gone: string[] = [];
  for (const job of jobs) {
    const row = dueChange(job.after);
    if (row) {
      rows.push(row);
      entered.push(enteredAt(job) ?? known.get(job.after.id)?.entered ?? 0);
    } else {
      gone.push(job.after.id);
    }
  }
  return [...dueColumns(rows), int8Array(entered), uuidArray(gone)];
}

/** The log number at which the job (last) became one that has a row. */
function enteredAt({ events }: FoldedJob): number | undefined {
  const entry = events.findLast((event) => event.type === 'Submitted' || event.type === 'Replayed');
  return entry && positionNumber(entry.position);
}

/** Jobs that the batch goes on with: from their rows, else (finished, or another format) from their streams. */
async function loadJobs(
  byJob: ReadonlyMap<string, readonly RecordedEvent[]>,
  { db, log }: ProjectionSource,
  jobStream: (jobId: string) => string,
): Promise<ReadonlyMap<string, KnownJob>> {
  const firsts = new Map([...byJob].map(([jobId, events]) => [jobId, events[0]?.version ?? 0]));
  const ids = [...firsts].filter(([, first]) => first > 0).map(([jobId]) => jobId);
  if (ids.length === 0) return new Map();
  const known = new Map<string, KnownJob>();
  const { rows } = await db.query<StateRow>(LOAD, [uuidArray(ids)]);
  for (const row of rows) {
    if (row.state === null || row.state_format !== STATE_FORMAT) continue;
    const job = decodeJobState(row.job_id, row.state, {});
    known.set(row.job_id, { job, entered: Number(row.entered_position) });
  }
  const missing = ids
    .filter((jobId) => !known.has(jobId))
    .map((jobId): [string, number] => [jobId, (firsts.get(jobId) ?? 0) - 1]);
  const refolded = await foldFromStreams(new Map(missing), log, jobStream);
  for (const [jobId, folded] of refolded) known.set(jobId, { job: folded.after, entered: enteredAt(folded) ?? 0 });
  return known;
}
