import { createHash } from 'node:crypto';
import type { Commands } from '#commands/contract';
import { jobView, type ListedJob, listedJob } from '#domain/job/view';
import type { JobList, ListRequest } from '#projections/jobs/list-queries';
import type { Reads } from '../ports.ts';
import { invalidRequest } from '../problems/problem.ts';

/** Folding a job costs a read of its stream, so one call looks at so many at most; the cursor goes on from there. */
const MOST_LOOKED_AT = 1000;

interface Sources {
  readonly commands: Pick<Commands, 'read'>;
  readonly reads: Pick<Reads, 'listJobs'>;
}

/**
 * Jobs as they were at an instant. What never changes about a job (queue, type, tags, creation) is asked of the table; each
 * job is then folded up to the instant, and its status judged as it was. A page may be short while `nextCursor` is there.
 * @param query - Sorted by creation.
 * @param asOf - Epoch milliseconds, inclusive.
 */
export async function listJobsAsOf({ commands, reads }: Sources, query: ListRequest, asOf: number): Promise<JobList> {
  const { status, acknowledged, createdBefore } = query.filters;
  const binding = bindingOf(query, asOf);
  const filters = {
    ...query.filters,
    status: [],
    acknowledged: null,
    createdBefore: Math.min(createdBefore ?? Infinity, asOf + 1),
  };
  const rows: ListedJob[] = [];
  let cursor = query.cursor === null ? null : unbound(query.cursor, binding);
  for (let lookedAt = 0; lookedAt < MOST_LOOKED_AT; ) {
    const page = await reads.listJobs({ ...query, filters, include: [], cursor, limit: query.limit - rows.length });
    const jobs = await Promise.all(page.rows.map(({ id }) => commands.read(id, { asOf })));
    const views = jobs.flatMap((at) => (at ? [jobView(at.job)] : []));
    const wanted = views.filter(
      (view) =>
        (status.length === 0 || status.includes(view.status)) &&
        (acknowledged === null || view.acknowledged === acknowledged),
    );
    rows.push(...wanted.map((view) => listedJob(view, query.include)));
    lookedAt += page.rows.length;
    cursor = page.nextCursor;
    if (cursor === null || rows.length >= query.limit) break;
  }
  return { rows, nextCursor: cursor === null ? null : `${binding}.${cursor}` };
}

/** The table's cursor is bound to what the table was asked; this binds it to the rest. */
function bindingOf({ filters }: ListRequest, asOf: number): string {
  const text = JSON.stringify([asOf, [...filters.status].sort(), filters.acknowledged, filters.createdBefore]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

function unbound(cursor: string, binding: string): string {
  if (cursor.startsWith(`${binding}.`)) return cursor.slice(binding.length + 1);
  throw invalidRequest([{ parameter: 'cursor', detail: 'must be a cursor of a list with the same filters and as_of' }]);
}
