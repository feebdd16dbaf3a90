import type { Job } from '#domain/job/state';
import { streamNames } from '#domain/streams';
import type { RecordedEvent } from '#log/port';
import { loadSql } from '#runtime/postgres/sql';
import { eventsByJob, foldBatch, foldFromStreams } from '../job-fold.ts';
import { decodeJobState, STATE_FORMAT } from '../job-state.ts';
import type { Projection, ProjectionSource } from '../projector/projection.ts';
import { plainArray } from '../sql-arrays.ts';
import { activityColumns, countColumns } from './batch-counts.ts';
import { jobColumns } from './row.ts';

interface StateRow {
  readonly id: string;
  readonly version: number;
  readonly state_format: number;
  readonly state: object;
}

const LOAD = loadSql(import.meta.url, 'load.sql');
const WRITE = loadSql(import.meta.url, 'write.sql');

/** `jobs`, `queue_stats` and `queue_activity`, written together: the last state of each job a batch moved, in one write. */
export function jobsProjection(options: { readonly streamPrefix: string }): Projection {
  const names = streamNames(options.streamPrefix);
  return {
    name: 'jobs',
    schemaVersion: 1,
    tables: ['jobs', 'queue_stats', 'queue_activity'],
    async prepare(events, source) {
      const byJob = eventsByJob(events, names.jobIdOf);
      const known = await loadJobs(byJob, source, names.job);
      const { jobs, parked } = foldBatch(byJob, known);
      return {
        parked,
        write: async (transaction) => {
          if (jobs.length === 0) return;
          await transaction.query(WRITE, [...jobColumns(jobs), ...countColumns(jobs), ...activityColumns(jobs)]);
        },
      };
    },
  };
}

/** The jobs that the batch goes on with, as their rows have them; those that it begins with have none. */
async function loadJobs(
  byJob: ReadonlyMap<string, readonly RecordedEvent[]>,
  { db, log }: ProjectionSource,
  jobStream: (jobId: string) => string,
): Promise<ReadonlyMap<string, Job>> {
  const ids = [...byJob].filter(([, events]) => events[0]?.version !== 0).map(([jobId]) => jobId);
  if (ids.length === 0) return new Map();
  const { rows } = await db.query<StateRow>(LOAD, [plainArray(ids)]);
  const foreign = rows.filter((row) => row.state_format !== STATE_FORMAT);
  const refolded = await foldFromStreams(new Map(foreign.map((row) => [row.id, row.version])), log, jobStream);
  const known = new Map([...refolded].map(([jobId, { after }]) => [jobId, after]));
  for (const row of rows) {
    if (row.state_format === STATE_FORMAT) known.set(row.id, decodeJobState(row.id, row.state, {}));
  }
  return known;
}
