import type { Pool } from 'pg';
import { fold } from '#domain/job/evolve';
import type { Job } from '#domain/job/state';
import { recordedJobEvent } from '#domain/job/upcast';
import { jobView, type LargeField, type ListedJob, listedJob } from '#domain/job/view';
import { streamNames } from '#domain/streams';
import type { EventLog } from '#log/port';
import { inTransaction } from '#runtime/postgres/transaction';
import { STATE_FORMAT } from '../job-state.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { type JobFilters, type JobSort, listStatement, type Statement } from './list-statement.ts';
import { logFields } from './log-fields.ts';
import { AS_SENT, jobOfRow, type StoredColumns, type StoredRow, storedRow } from './stored-row.ts';

export { BadCursor } from './cursor.ts';
export { JOB_SORTS, type JobFilters, type JobSort } from './list-statement.ts';

export interface JobListSource {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'readStream'>;
  readonly streamPrefix: string;
}

export interface ListRequest {
  readonly filters: JobFilters;
  readonly sort: JobSort;
  readonly limit: number;
  /** `nextCursor` of the page before. Bound to filters and sort, to nothing else. */
  readonly cursor: string | null;
  /** Fields that are absent otherwise. */
  readonly include: readonly LargeField[];
}

export interface JobList {
  readonly rows: readonly ListedJob[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

type JobRow = StoredRow & { readonly columns: StoredColumns };

/**
 * A page of jobs. While pages are walked, a job that is there and matches all the time comes exactly once, as long as what
 * it is sorted by stands still: always when sorted by creation. A job whose `updated_at` or `scheduled_at` moves during the
 * walk moves with it, and may be passed over or seen again at its new place.
 * @throws BadCursor
 */
export async function listJobs(source: JobListSource, request: ListRequest): Promise<JobList> {
  const { filters, sort, limit, cursor, include } = request;
  const scope = scopeOf(filters, sort);
  const after = cursor === null ? null : decodeCursor(cursor, scope);
  const rows = await readRows(source.pool, listStatement({ filters, sort, after, limit: limit + 1 }));
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    rows: await Promise.all(page.map((row) => listedRow(source, row, include))),
    nextCursor: last ? encodeCursor({ key: sortKey(last, sort), id: last.id }, scope) : null,
  };
}

async function readRows(pool: Pool, { settings, text, values }: Statement): Promise<readonly JobRow[]> {
  const rows = await inTransaction(pool, async (transaction) => {
    await transaction.query(settings);
    return (await transaction.query({ ...AS_SENT, text, values: [...values] })).rows as unknown as StoredColumns[];
  });
  return rows.map((columns) => ({ ...storedRow(columns), columns }));
}

async function listedRow(source: JobListSource, row: JobRow, include: readonly LargeField[]): Promise<ListedJob> {
  const view = jobView(await jobOf(source, row));
  const fields = logFields(source.log, streamNames(source.streamPrefix).job);
  const payload = include.includes('payload') ? await fields.payload(row.id) : undefined;
  const result =
    include.includes('result') && row.resultVersion !== null
      ? await fields.result(row.id, row.resultVersion)
      : undefined;
  return listedJob({ ...view, ...(payload && { payload }), ...(result !== undefined && { result }) }, include);
}

/** A row that another version of the program wrote is folded from its stream. */
async function jobOf({ log, streamPrefix }: JobListSource, row: JobRow): Promise<Job> {
  if (row.stateFormat === STATE_FORMAT) return jobOfRow(row.columns);
  const events = await log.readStream(streamNames(streamPrefix).job(row.id), { limit: row.version + 1 });
  const job = fold(row.id, events.map(recordedJobEvent));
  if (job === null) throw new Error(`job ${row.id} has a row and no events`);
  return job;
}

function sortKey(row: JobRow, sort: JobSort): number {
  switch (sort) {
    case '-created_at':
    case 'created_at':
      return row.createdAt;
    case 'scheduled_at':
      return row.scheduledAt;
    case '-updated_at':
      return row.updatedAt;
  }
}

/** The same filters in another order are the same filters. */
function scopeOf(filters: JobFilters, sort: JobSort): string {
  const { status, queue, type, tags, createdAfter, createdBefore, acknowledged } = filters;
  const lists = [status, queue, type, tags].map((list) => [...new Set<string>(list)].sort());
  return JSON.stringify([sort, ...lists, createdAfter, createdBefore, acknowledged]);
}
