import type { FoldedJob } from '../job-fold.ts';
import { encodeJobState, STATE_FORMAT } from '../job-state.ts';
import { jsonTextArray, plainArray, textArray } from '../sql-arrays.ts';

/** Rows of `jobs` as parallel arrays, in the order in which `write.sql` unnests them. */
export function jobColumns(jobs: readonly FoldedJob[]): unknown[] {
  const after = jobs.map((job) => job.after);
  return [
    plainArray(after.map((job) => job.id)),
    plainArray(after.map((job) => job.version)),
    textArray(after.map((job) => job.status)),
    textArray(after.map((job) => job.queue)),
    textArray(after.map((job) => job.type)),
    plainArray(after.map((job) => job.createdAt)),
    plainArray(after.map((job) => job.updatedAt)),
    plainArray(after.map((job) => job.scheduledAt)),
    plainArray(after.map((job) => ('finishedAt' in job ? job.finishedAt : null))),
    plainArray(after.map((job) => (job.status === 'running' ? job.lease.expiresAt : null))),
    plainArray(jobs.map(resultVersion)),
    plainArray(after.map((job) => job.status === 'dead' && job.acknowledged)),
    jsonTextArray(after.map((job) => JSON.stringify(job.tags))),
    jsonTextArray(after.map((job) => encodeJobState(job))),
    STATE_FORMAT,
  ];
}

/** Version of the event that holds the result; the statement never replaces one that it knows. */
function resultVersion({ before, after, events }: FoldedJob): number | null {
  if (after.status !== 'succeeded') return null;
  return events.find((event) => event.type === 'Succeeded')?.version ?? before?.version ?? null;
}
