import { DEFAULT_RETRY, type RetryPolicy } from '#domain/job/retry';
import type { Job } from '#domain/job/state';
import { SUBMITTED_BY_API } from '#domain/job/submit';
import type { JsonObject } from '#domain/json/value';

/**
 * How a folded job is kept in a read table: its fields without payload and result, which the log has, and without those
 * that have their usual value. The number goes beside the text; a change of the domain's state raises it, and a row of
 * another format is folded from its stream instead of being read.
 */
export const STATE_FORMAT = 1;

/** Part of the format: what a field that is not kept is read as. */
export const USUAL = {
  priority: 0,
  attempt: 0,
  crashes: 0,
  releases: 0,
  releasesInRow: 0,
  replays: 0,
  fencingToken: 0,
  startedAt: null,
  timeoutSeconds: null,
  lastError: null,
  progress: null,
  checkpoint: null,
  idempotencyKey: null,
  keyUse: null,
  keyReleased: false,
  tags: [] as readonly string[],
  retry: DEFAULT_RETRY,
  origin: SUBMITTED_BY_API,
} as const;

/** The JSON text of a job's state. */
export function encodeJobState(job: Job): string {
  const kept: Record<string, unknown> = {
    status: job.status,
    type: job.type,
    queue: job.queue,
    createdAt: job.createdAt,
    updatedAt: job.updatedAt,
    scheduledAt: job.scheduledAt,
    leaseSeconds: job.leaseSeconds,
    maxAttempts: job.maxAttempts,
    maxCrashes: job.maxCrashes,
    fingerprint: job.fingerprint,
    lastEventId: job.lastEventId,
    version: job.version,
  };
  if (job.startedAt !== null) kept.startedAt = job.startedAt;
  if (job.attempt !== 0) kept.attempt = job.attempt;
  if (job.fencingToken !== 0) kept.fencingToken = job.fencingToken;
  if (job.tags.length > 0) kept.tags = job.tags;
  if ('finishedAt' in job) kept.finishedAt = job.finishedAt;
  if (job.status === 'dead' && job.acknowledged) kept.acknowledged = true;
  keepUnusual(job, kept);
  return JSON.stringify(kept);
}

/** Adds the fields that few jobs have other than usual, and no table has a column for. Spelled out: it runs per event. */
export function keepUnusual(job: Job, kept: Record<string, unknown>): void {
  if (job.priority !== 0) kept.priority = job.priority;
  if (job.crashes !== 0) kept.crashes = job.crashes;
  if (job.releases !== 0) kept.releases = job.releases;
  if (job.releasesInRow !== 0) kept.releasesInRow = job.releasesInRow;
  if (job.replays !== 0) kept.replays = job.replays;
  if (job.timeoutSeconds !== null) kept.timeoutSeconds = job.timeoutSeconds;
  if (job.lastError !== null) kept.lastError = job.lastError;
  if (job.progress !== null) kept.progress = job.progress;
  if (job.checkpoint !== null) kept.checkpoint = job.checkpoint;
  if (job.idempotencyKey !== null) kept.idempotencyKey = job.idempotencyKey;
  if (job.keyUse !== null) kept.keyUse = job.keyUse;
  if (job.keyReleased) kept.keyReleased = true;
  if (!isUsualRetry(job.retry)) kept.retry = job.retry;
  if (!isUsualOrigin(job.origin)) kept.origin = job.origin;
  if (job.status === 'running') kept.lease = job.lease;
  if (job.status === 'dead') kept.deadReason = job.deadReason;
  if ('cancel' in job && job.cancel !== null) kept.cancel = job.cancel;
}

const USUAL_RETRY = DEFAULT_RETRY as Extract<RetryPolicy, { strategy: 'exponential' }>;

function isUsualRetry(retry: RetryPolicy): boolean {
  return (
    retry === USUAL_RETRY ||
    (retry.strategy === USUAL_RETRY.strategy &&
      retry.base_seconds === USUAL_RETRY.base_seconds &&
      retry.factor === USUAL_RETRY.factor &&
      retry.cap_seconds === USUAL_RETRY.cap_seconds &&
      retry.jitter === USUAL_RETRY.jitter)
  );
}

function isUsualOrigin({ kind, schedule, occurrence_at, job_id }: Job['origin']): boolean {
  return kind === SUBMITTED_BY_API.kind && schedule === null && occurrence_at === null && job_id === null;
}

/**
 * The job of a kept state. Its result, if it has one, is null: whoever shows results reads them from the log.
 * @param payload - From the log. Whoever only folds further and keeps the state again may give an empty one.
 */
export function decodeJobState(jobId: string, state: object, payload: JsonObject): Job {
  return jobOfFields({ ...USUAL, ...state, id: jobId, payload } as StoredFields);
}

/** The fields of a job as they come from a row: those of its status may be missing where they have their usual value. */
export type StoredFields = Omit<Job, 'result'> & { readonly cancel?: unknown; readonly acknowledged?: unknown };

/** Fills in what belongs to the status. */
export function jobOfFields(fields: StoredFields): Job {
  switch (fields.status) {
    case 'pending':
    case 'cancelled':
      return fields as unknown as Job;
    case 'running':
      return Object.assign({ cancel: null }, fields) as unknown as Job;
    case 'succeeded':
      return Object.assign({ cancel: null, result: null }, fields) as unknown as Job;
    case 'dead':
      return Object.assign({ acknowledged: false }, fields) as unknown as Job;
  }
}
