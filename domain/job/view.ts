import { toInstantText } from '../instant.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { DeadReason, JobEventData, JobOrigin } from './events.ts';
import type { RetryPolicy } from './retry.ts';
import type { CancelRequest, Job, JobError, JobStatus } from './state.ts';

/** A job as clients see it (DESIGN section 7): every field is there, null where it does not apply. */
export interface JobView {
  readonly id: string;
  readonly type: string;
  readonly queue: string;
  readonly status: JobStatus;
  readonly version: number;
  readonly priority: number;
  readonly tags: readonly string[];
  readonly payload: JsonObject;
  readonly result: JsonValue;
  readonly progress: JsonValue;
  readonly checkpoint: JsonValue;
  readonly created_at: string;
  readonly updated_at: string;
  readonly scheduled_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly expires_at: string | null;
  readonly lease_seconds: number;
  readonly timeout_seconds: number | null;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly crashes: number;
  readonly max_crashes: number;
  readonly releases: number;
  readonly replays: number;
  readonly fencing_token: number;
  readonly lease: { readonly worker_id: string; readonly expires_at: string } | null;
  readonly cancel: { readonly requested_at: string; readonly actor: string; readonly reason: string | null } | null;
  readonly retry: RetryPolicy;
  readonly last_error:
    | (Omit<JobError, 'at'> & { readonly at: string; readonly why: JobEventData<'Failed'>['why'] })
    | null;
  readonly dead_reason: DeadReason | null;
  readonly acknowledged: boolean;
  readonly idempotency_key: string | null;
  readonly concurrency_key: string | null;
  readonly unique: JsonObject | null;
  readonly origin: JobOrigin;
}

export function jobView(job: Job): JobView {
  return {
    id: job.id,
    type: job.type,
    queue: job.queue,
    status: job.status,
    version: job.version,
    priority: job.priority,
    tags: job.tags,
    payload: job.payload,
    result: job.status === 'succeeded' ? job.result : null,
    progress: job.progress,
    checkpoint: job.checkpoint,
    created_at: toInstantText(job.createdAt),
    updated_at: toInstantText(job.updatedAt),
    scheduled_at: toInstantText(job.scheduledAt),
    started_at: job.startedAt === null ? null : toInstantText(job.startedAt),
    finished_at: 'finishedAt' in job ? toInstantText(job.finishedAt) : null,
    expires_at: null,
    lease_seconds: job.leaseSeconds,
    timeout_seconds: job.timeoutSeconds,
    attempt: job.attempt,
    max_attempts: job.maxAttempts,
    crashes: job.crashes,
    max_crashes: job.maxCrashes,
    releases: job.releases,
    replays: job.replays,
    fencing_token: job.fencingToken,
    lease:
      job.status === 'running'
        ? { worker_id: job.lease.workerId, expires_at: toInstantText(job.lease.expiresAt) }
        : null,
    cancel: 'cancel' in job && job.cancel ? cancelView(job.cancel) : null,
    retry: job.retry,
    last_error: job.lastError && errorView(job.lastError),
    dead_reason: job.status === 'dead' ? job.deadReason : null,
    acknowledged: job.status === 'dead' && job.acknowledged,
    idempotency_key: job.idempotencyKey,
    concurrency_key: null,
    unique: null,
    origin: job.origin,
  };
}

function cancelView(cancel: CancelRequest): JobView['cancel'] {
  return { requested_at: toInstantText(cancel.requestedAt), actor: cancel.actor, reason: cancel.reason };
}

function errorView(error: JobError): JobView['last_error'] {
  return { ...error, at: toInstantText(error.at) };
}

/** The fields that lists leave out, since they may be large. */
export const LARGE_FIELDS = ['payload', 'result', 'progress', 'checkpoint'] as const;
export type LargeField = (typeof LARGE_FIELDS)[number];

export type ListedJob = Omit<JobView, LargeField> & Partial<Pick<JobView, LargeField>>;

/** A job as lists show it: without the large fields but for those that were asked for. */
export function listedJob(view: JobView, include: readonly LargeField[] = []): ListedJob {
  if (include.length === 0) return withoutLargeFields(view);
  return {
    ...withoutLargeFields(view),
    ...(include.includes('payload') && { payload: view.payload }),
    ...(include.includes('result') && { result: view.result }),
    ...(include.includes('progress') && { progress: view.progress }),
    ...(include.includes('checkpoint') && { checkpoint: view.checkpoint }),
  };
}

/** Spelled out, since a rest pattern costs ten times as much, and an answer may have a thousand of them. */
function withoutLargeFields(view: JobView): Omit<JobView, LargeField> {
  return {
    id: view.id,
    type: view.type,
    queue: view.queue,
    status: view.status,
    version: view.version,
    priority: view.priority,
    tags: view.tags,
    created_at: view.created_at,
    updated_at: view.updated_at,
    scheduled_at: view.scheduled_at,
    started_at: view.started_at,
    finished_at: view.finished_at,
    expires_at: view.expires_at,
    lease_seconds: view.lease_seconds,
    timeout_seconds: view.timeout_seconds,
    attempt: view.attempt,
    max_attempts: view.max_attempts,
    crashes: view.crashes,
    max_crashes: view.max_crashes,
    releases: view.releases,
    replays: view.replays,
    fencing_token: view.fencing_token,
    lease: view.lease,
    cancel: view.cancel,
    retry: view.retry,
    last_error: view.last_error,
    dead_reason: view.dead_reason,
    acknowledged: view.acknowledged,
    idempotency_key: view.idempotency_key,
    concurrency_key: view.concurrency_key,
    unique: view.unique,
    origin: view.origin,
  };
}
