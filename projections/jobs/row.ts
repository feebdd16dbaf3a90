import type { Job } from '#domain/job/state';
import { boolArray, int4Array, int8Array, jsonArray, textArray, uuidArray } from '#runtime/postgres/arrays';
import type { FoldedJob } from '../job-fold.ts';
import { keepUnusual, STATE_FORMAT } from '../job-state.ts';

/** The usual values of the fields that only this table leaves out. Part of the format, as those in `job-state.ts`. */
export const USUAL_LIMITS = { leaseSeconds: 30, maxAttempts: 5, maxCrashes: 5 } as const;

/** Rows of `jobs` as parallel arrays, in the order in which `jobs_write` takes them: new ones, known ones, the format. */
export function jobColumns(jobs: readonly FoldedJob[]): unknown[] {
  const [fresh, known]: [FoldedJob[], FoldedJob[]] = [[], []];
  for (const job of jobs) (job.before === null ? fresh : known).push(job);
  const first = fresh.map((job) => job.after);
  return [
    ...movingColumns(fresh),
    textArray(first.map((job) => job.queue)),
    textArray(first.map((job) => job.type)),
    int8Array(first.map((job) => job.createdAt)),
    textArray(first.map((job) => arrayLiteral(job.tags))),
    ...movingColumns(known),
    STATE_FORMAT,
  ];
}

/** What may change while a job lives. */
function movingColumns(jobs: readonly FoldedJob[]): unknown[] {
  const after = jobs.map((job) => job.after);
  return [
    uuidArray(after.map((job) => job.id)),
    int4Array(after.map((job) => job.version)),
    textArray(after.map((job) => job.status)),
    int8Array(after.map((job) => job.updatedAt)),
    int8Array(after.map((job) => job.scheduledAt)),
    int8Array(after.map((job) => job.startedAt)),
    int8Array(after.map((job) => ('finishedAt' in job ? job.finishedAt : null))),
    int8Array(after.map((job) => (job.status === 'running' ? job.lease.expiresAt : null))),
    int4Array(jobs.map(resultVersion)),
    int4Array(after.map((job) => job.attempt)),
    int4Array(after.map((job) => job.fencingToken)),
    boolArray(after.map((job) => job.status === 'dead' && job.acknowledged)),
    jsonArray(after.map(encodeRest)),
  ];
}

const MOVING_TYPES = [
  ...['uuid[]', 'integer[]', 'text[]', 'bigint[]', 'bigint[]', 'bigint[]', 'bigint[]', 'bigint[]'],
  ...['integer[]', 'integer[]', 'integer[]', 'boolean[]', 'json[]'],
];
export const JOB_COLUMN_TYPES = [
  ...[...MOVING_TYPES, 'text[]', 'text[]', 'bigint[]', 'text[]'],
  ...[...MOVING_TYPES, 'smallint'],
];

/** Version of the event that holds the result; the write never replaces one that it knows. */
function resultVersion({ before, after, events }: FoldedJob): number | null {
  if (after.status !== 'succeeded') return null;
  return events.find((event) => event.type === 'Succeeded')?.version ?? before?.version ?? null;
}

/**
 * The JSON text of what has no column of its own and is not as usual; mostly nothing. Left out altogether are payload and
 * result, which only the log keeps, and what only decisions need: the fingerprint and the id of the last event.
 */
function encodeRest(job: Job): string {
  const kept: Record<string, unknown> = {};
  if (job.leaseSeconds !== USUAL_LIMITS.leaseSeconds) kept.leaseSeconds = job.leaseSeconds;
  if (job.maxAttempts !== USUAL_LIMITS.maxAttempts) kept.maxAttempts = job.maxAttempts;
  if (job.maxCrashes !== USUAL_LIMITS.maxCrashes) kept.maxCrashes = job.maxCrashes;
  keepUnusual(job, kept);
  for (const _ in kept) return JSON.stringify(kept);
  return '{}';
}

/** A list of texts as Postgres writes an array. */
function arrayLiteral(texts: readonly string[]): string {
  if (texts.length === 0) return '{}';
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
