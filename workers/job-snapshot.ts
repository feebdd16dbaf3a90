import { parseInstant } from '#domain/instant';
import type { RetryPolicy } from '#domain/job/retry';
import type { JobView, LargeField } from '#domain/job/view';
import type { JsonObject, JsonValue } from '#domain/json/value';

/** A retry policy as TypeScript writes it. */
export type RetrySnapshot =
  | { readonly strategy: 'fixed'; readonly delaySeconds: number; readonly jitter: number }
  | { readonly strategy: 'linear'; readonly baseSeconds: number; readonly capSeconds: number; readonly jitter: number }
  | {
      readonly strategy: 'exponential';
      readonly baseSeconds: number;
      readonly factor: number;
      readonly capSeconds: number;
      readonly jitter: number;
    }
  | { readonly strategy: 'list'; readonly delaysSeconds: readonly number[]; readonly jitter: number };

type LastError = NonNullable<JobView['last_error']>;

/** A job as TypeScript code sees it: the API's names in camelCase, instants as `Date`, user data untouched. */
export interface JobSnapshot {
  readonly id: string;
  readonly type: string;
  readonly queue: string;
  readonly status: JobView['status'];
  readonly version: number;
  readonly priority: number;
  readonly tags: readonly string[];
  readonly payload: JsonObject;
  readonly result: JsonValue;
  readonly progress: JsonValue;
  readonly checkpoint: JsonValue;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly scheduledAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly leaseSeconds: number;
  readonly timeoutSeconds: number | null;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly crashes: number;
  readonly maxCrashes: number;
  readonly releases: number;
  readonly replays: number;
  readonly fencingToken: number;
  readonly lease: { readonly workerId: string; readonly expiresAt: Date } | null;
  readonly cancel: { readonly requestedAt: Date; readonly actor: string; readonly reason: string | null } | null;
  readonly retry: RetrySnapshot;
  readonly lastError: (Omit<LastError, 'at'> & { readonly at: Date }) | null;
  readonly deadReason: JobView['dead_reason'];
  readonly acknowledged: boolean;
  readonly idempotencyKey: string | null;
  readonly concurrencyKey: string | null;
  readonly unique: JsonObject | null;
  readonly origin: {
    readonly kind: JobView['origin']['kind'];
    readonly schedule: string | null;
    readonly occurrenceAt: Date | null;
    readonly jobId: string | null;
  };
}

export function jobSnapshot(view: JobView): JobSnapshot {
  const { payload, result, progress, checkpoint } = view;
  return { ...snapshotFacts(view), payload, result, progress, checkpoint };
}

/** All but what users put into a job. */
export function snapshotFacts(view: Omit<JobView, LargeField>): Omit<JobSnapshot, LargeField> {
  return {
    id: view.id,
    type: view.type,
    queue: view.queue,
    status: view.status,
    version: view.version,
    priority: view.priority,
    tags: view.tags,
    createdAt: dateOf(view.created_at),
    updatedAt: dateOf(view.updated_at),
    scheduledAt: dateOf(view.scheduled_at),
    startedAt: dateOrNull(view.started_at),
    finishedAt: dateOrNull(view.finished_at),
    expiresAt: dateOrNull(view.expires_at),
    leaseSeconds: view.lease_seconds,
    timeoutSeconds: view.timeout_seconds,
    attempt: view.attempt,
    maxAttempts: view.max_attempts,
    crashes: view.crashes,
    maxCrashes: view.max_crashes,
    releases: view.releases,
    replays: view.replays,
    fencingToken: view.fencing_token,
    lease: view.lease && { workerId: view.lease.worker_id, expiresAt: dateOf(view.lease.expires_at) },
    cancel: view.cancel && {
      requestedAt: dateOf(view.cancel.requested_at),
      actor: view.cancel.actor,
      reason: view.cancel.reason,
    },
    retry: retrySnapshot(view.retry),
    lastError: view.last_error && { ...view.last_error, at: dateOf(view.last_error.at) },
    deadReason: view.dead_reason,
    acknowledged: view.acknowledged,
    idempotencyKey: view.idempotency_key,
    concurrencyKey: view.concurrency_key,
    unique: view.unique,
    origin: {
      kind: view.origin.kind,
      schedule: view.origin.schedule,
      occurrenceAt: dateOrNull(view.origin.occurrence_at),
      jobId: view.origin.job_id,
    },
  };
}

function dateOf(text: string): Date {
  return new Date(parseInstant(text) ?? Number.NaN);
}

function dateOrNull(text: string | null): Date | null {
  return text === null ? null : dateOf(text);
}

function retrySnapshot(retry: RetryPolicy): RetrySnapshot {
  const { strategy, jitter } = retry;
  switch (strategy) {
    case 'fixed':
      return { strategy, delaySeconds: retry.delay_seconds, jitter };
    case 'linear':
      return { strategy, baseSeconds: retry.base_seconds, capSeconds: retry.cap_seconds, jitter };
    case 'exponential':
      return {
        strategy,
        baseSeconds: retry.base_seconds,
        factor: retry.factor,
        capSeconds: retry.cap_seconds,
        jitter,
      };
    case 'list':
      return { strategy, delaysSeconds: retry.delays_seconds, jitter };
  }
}
