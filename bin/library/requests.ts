import type { SubmitJob } from '#client/types';
import type { JsonObject } from '#domain/json/value';
import { type AnyJobDefinition, isJobDefinition, type JobDefaults } from '#workers/define-job';
import { retryRequest } from '#workers/retry-options';
import { storable } from '#workers/storable';
import type { KeyedSubmit } from './backend.ts';

/** What a submit may say beside the payload; what it does not say comes from the job's definition. */
export interface SubmitOptions extends JobDefaults {
  /** The earliest start; an instant in the past means now. Not together with `delaySeconds`. */
  readonly scheduledAt?: Date;
  readonly delaySeconds?: number;
  /** Submits with one key and the same request make one job. */
  readonly idempotencyKey?: string;
}

/**
 * A submit in the API's words, as it goes over the wire: the same in process, so that a key finds its job either way.
 * @throws Unstorable when JSON cannot carry the payload.
 */
export function submitRequest(
  job: AnyJobDefinition | { readonly type: string },
  payload: unknown,
  options: SubmitOptions,
): KeyedSubmit {
  const { idempotencyKey = null, scheduledAt, delaySeconds, ...given } = options;
  const settings: JobDefaults = { ...(isJobDefinition(job) && job.defaults), ...withoutUndefined(given) };
  const request = {
    type: job.type,
    queue: settings.queue,
    payload: storable(payload ?? {}, 'the payload', Number.POSITIVE_INFINITY).value as JsonObject,
    priority: settings.priority,
    scheduled_at: scheduledAt?.toISOString(),
    delay_seconds: delaySeconds,
    max_attempts: settings.maxAttempts,
    max_crashes: settings.maxCrashes,
    retry: settings.retry && (retryRequest(settings.retry) as unknown as JsonObject),
    lease_seconds: settings.leaseSeconds,
    timeout_seconds: settings.timeoutSeconds,
    tags: settings.tags,
  };
  return { request: withoutUndefined(request) as SubmitJob, idempotencyKey };
}

function withoutUndefined<T extends object>(value: T): Partial<T> {
  const kept: Partial<T> = {};
  for (const name of Object.keys(value) as (keyof T)[]) if (value[name] !== undefined) kept[name] = value[name];
  return kept;
}
