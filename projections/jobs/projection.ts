import type { Job } from '#domain/job/state';
import { streamNames } from '#domain/streams';
import type { RecordedEvent } from '#log/port';
import { uuidArray } from '#runtime/postgres/arrays';
import { eventsByJob, foldBatch, foldFromStreams } from '../job-fold.ts';
import { STATE_FORMAT } from '../job-state.ts';
import type { Projection, ProjectionSource } from '../projector/projection.ts';
import { ACTIVITY_COLUMN_TYPES, activityColumns, COUNT_COLUMN_TYPES, countColumns } from './batch-counts.ts';
import { RecentJobs } from './recent-jobs.ts';
import { JOB_COLUMN_TYPES, jobColumns } from './row.ts';
import { AS_SENT, jobOfRow, STORED_COLUMNS, type StoredColumns, storedRow } from './stored-row.ts';

const LOAD = `SELECT ${STORED_COLUMNS} FROM jobs_to_go_on_with($1::uuid[]) AS job`;
const WRITE = {
  functionName: 'jobs_write',
  types: [...JOB_COLUMN_TYPES, ...COUNT_COLUMN_TYPES, ...ACTIVITY_COLUMN_TYPES],
};

/** `jobs`, `queue_stats` and `queue_activity`, written together: the last state of each job a batch moved, in one write. */
export function jobsProjection(options: { readonly streamPrefix: string }): Projection {
  const names = streamNames(options.streamPrefix);
  const recentOf = new WeakMap<object, RecentJobs>();
  return {
    name: 'jobs',
    schemaVersion: 1,
    tables: ['jobs', 'queue_stats', 'queue_activity'],
    async prepare(events, source) {
      const byJob = eventsByJob(events, names.jobIdOf);
      const recent = source.tenure && recentIn(recentOf, source.tenure);
      const known = await loadJobs(byJob, recent, source, names.job);
      const { jobs, parked } = foldBatch(byJob, known);
      return {
        parked,
        written: () => recent?.written(jobs),
        write:
          jobs.length === 0
            ? null
            : { ...WRITE, values: [...jobColumns(jobs), ...countColumns(jobs), ...activityColumns(jobs)] },
      };
    },
  };
}

function recentIn(recentOf: WeakMap<object, RecentJobs>, tenure: object): RecentJobs {
  const known = recentOf.get(tenure) ?? new RecentJobs();
  recentOf.set(tenure, known);
  return known;
}

/** The jobs that the batch goes on with, as their rows have them; those that it begins with have none. */
async function loadJobs(
  byJob: ReadonlyMap<string, readonly RecordedEvent[]>,
  recent: RecentJobs | undefined,
  { db, log }: ProjectionSource,
  jobStream: (jobId: string) => string,
): Promise<ReadonlyMap<string, Job>> {
  const known = new Map<string, Job>();
  const ids: string[] = [];
  for (const [jobId, events] of byJob) {
    if (events[0]?.version === 0) continue;
    const job = recent?.get(jobId);
    if (job) known.set(jobId, job);
    else ids.push(jobId);
  }
  if (ids.length === 0) return known;
  const query = { ...AS_SENT, name: 'jobs-to-go-on-with', text: LOAD, values: [uuidArray(ids)] };
  const { rows } = (await db.query(query)) as unknown as { rows: readonly StoredColumns[] };
  const foreign = new Map<string, number>();
  for (const columns of rows) {
    const { id, version, stateFormat } = storedRow(columns);
    if (stateFormat === STATE_FORMAT) known.set(id, jobOfRow(columns));
    else foreign.set(id, version);
  }
  for (const [jobId, { after }] of await foldFromStreams(foreign, log, jobStream)) known.set(jobId, after);
  return known;
}
