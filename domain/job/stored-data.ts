import { parseInstant } from '../instant.ts';
import type { JobEventData, JobEventType } from './events.ts';
import { DEFAULT_RETRY, type RetryPolicy, storedRetryPolicy } from './retry.ts';
import { SUBMITTED_BY_API } from './submit.ts';

/*
 * The data of the events that jobs mostly have, read by hand: the schemas took half of what it takes to fold a job. Each
 * reader answers just what the schema of its type answers, or undefined where it does not recognise what it sees; then
 * the schema judges, and says what is wrong. A test compares the two.
 */

type Fields = { readonly [name: string]: unknown };
type Reader<T extends JobEventType> = (data: Fields) => JobEventData<T> | undefined;

const readers: { readonly [T in JobEventType]?: Reader<T> } = {
  Submitted: submitted,
  Claimed: claimed,
  Heartbeat: heartbeat,
  Succeeded: ({ result }) =>
    result === undefined ? undefined : { result: result as JobEventData<'Succeeded'>['result'] },
  Failed: failed,
};

/** The data of an event whose type and schema version are those of today. Undefined: ask the schema. */
export function readStoredData<T extends JobEventType>(type: T, data: unknown): JobEventData<T> | undefined {
  return isObject(data) ? readers[type]?.(data) : undefined;
}

function submitted(data: Fields): JobEventData<'Submitted'> | undefined {
  const { type, queue, payload, priority, scheduled_at, max_attempts, max_crashes, lease_seconds, timeout_seconds } =
    data;
  const { tags, fingerprint, idempotency_key, key_use } = data;
  const retry = retryOf(data.retry);
  if (typeof type !== 'string' || typeof queue !== 'string' || !isObject(payload) || !isWhole(priority))
    return undefined;
  if (!isInstant(scheduled_at) || !isCount(max_attempts, 1) || !isCount(max_crashes, 1) || !isCount(lease_seconds, 1))
    return undefined;
  if (timeout_seconds !== null && !isCount(timeout_seconds, 1)) return undefined;
  if (!isListOfTexts(tags) || typeof fingerprint !== 'string' || !isTextOrNull(idempotency_key)) return undefined;
  if (key_use !== null && !isCount(key_use, 0)) return undefined;
  if (retry === undefined || data.reason !== undefined || !isSubmittedByApi(data.origin)) return undefined;
  return {
    type,
    queue,
    payload: payload as JobEventData<'Submitted'>['payload'],
    priority,
    scheduled_at,
    max_attempts,
    max_crashes,
    retry,
    lease_seconds,
    timeout_seconds,
    tags,
    fingerprint,
    idempotency_key,
    key_use,
    origin: SUBMITTED_BY_API,
  };
}

function claimed(data: Fields): JobEventData<'Claimed'> | undefined {
  const { worker_id, attempt, fencing_token, lease_seconds, lease_expires_at, request_id } = data;
  if (typeof worker_id !== 'string' || !isCount(attempt, 1) || !isCount(fencing_token, 1)) return undefined;
  if (!isCount(lease_seconds, 1) || !isInstant(lease_expires_at) || !isTextOrNull(request_id)) return undefined;
  return { worker_id, attempt, fencing_token, lease_seconds, lease_expires_at, request_id };
}

function heartbeat({ lease_expires_at, progress, checkpoint }: Fields): JobEventData<'Heartbeat'> | undefined {
  if (!isInstant(lease_expires_at) || progress !== undefined || checkpoint !== undefined) return undefined;
  return { lease_expires_at };
}

function failed({ error, why, retry_at }: Fields): JobEventData<'Failed'> | undefined {
  if (why !== 'error' && why !== 'timeout' && why !== 'lease-expired') return undefined;
  if (!isObject(error) || (retry_at !== null && !isInstant(retry_at))) return undefined;
  const { message, code, stack, retryable } = error;
  if (typeof message !== 'string' || !isTextOrNull(code) || !isTextOrNull(stack)) return undefined;
  if (typeof retryable !== 'boolean') return undefined;
  return { error: { message, code, stack, retryable }, why, retry_at };
}

const USUAL_RETRY = DEFAULT_RETRY as Extract<RetryPolicy, { strategy: 'exponential' }>;

function retryOf(stored: unknown): RetryPolicy | undefined {
  if (!isObject(stored)) return undefined;
  const isUsual =
    stored.strategy === USUAL_RETRY.strategy &&
    stored.base_seconds === USUAL_RETRY.base_seconds &&
    stored.factor === USUAL_RETRY.factor &&
    stored.cap_seconds === USUAL_RETRY.cap_seconds &&
    stored.jitter === USUAL_RETRY.jitter;
  return isUsual ? USUAL_RETRY : storedRetryPolicy.safeParse(stored).data;
}

function isSubmittedByApi(origin: unknown): boolean {
  return (
    isObject(origin) &&
    origin.kind === 'api' &&
    origin.schedule === null &&
    origin.occurrence_at === null &&
    origin.job_id === null
  );
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isCount(value: unknown, least: number): value is number {
  return isWhole(value) && value >= least;
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isInstant(value: unknown): value is string {
  return typeof value === 'string' && parseInstant(value) !== undefined;
}
