import { z } from 'zod';
import { parseInstant } from '../instant.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { storedRetryPolicy } from './retry.ts';

/*
 * The events of a job. Names and fields are the storage format: what is written here is in logs that people keep, so a
 * name never changes and a field is only ever added. A change of meaning takes a new schema version and an upcaster.
 */

const instant = z.string().refine((text) => parseInstant(text) !== undefined, 'must be an RFC 3339 instant');
const json = z.custom<JsonValue>((value) => value !== undefined, 'must be there');
const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
);
const reason = z.string().nullable();
const count = z.number().int().min(0);

const origin = z.object({
  kind: z.enum(['api', 'schedule', 'replay-as-new']),
  schedule: z.string().nullable(),
  occurrence_at: instant.nullable(),
  job_id: z.string().nullable(),
});

const submitted = z.object({
  type: z.string(),
  queue: z.string(),
  payload: jsonObject,
  priority: z.number().int(),
  scheduled_at: instant,
  max_attempts: z.number().int().min(1),
  max_crashes: z.number().int().min(1),
  retry: storedRetryPolicy,
  lease_seconds: z.number().int().min(1),
  timeout_seconds: z.number().int().min(1).nullable(),
  tags: z.array(z.string()),
  /** SHA-256 (hex) of the canonical JSON of the request as sent, before defaults. */
  fingerprint: z.string(),
  idempotency_key: z.string().nullable(),
  /** How often the key had been used before, from 0; null without a key. */
  key_use: count.nullable(),
  /** Why somebody made it, where that was said: a replay with another payload. */
  reason: reason.optional(),
  origin,
});

const claimed = z.object({
  worker_id: z.string(),
  attempt: z.number().int().min(1),
  fencing_token: z.number().int().min(1),
  /** The lease of this claim, which may differ from the job's own. */
  lease_seconds: z.number().int().min(1),
  lease_expires_at: instant,
  request_id: z.string().nullable(),
});

const heartbeat = z.object({ lease_expires_at: instant, progress: json.optional(), checkpoint: json.optional() });

const failure = z.object({
  message: z.string(),
  code: z.string().nullable(),
  stack: z.string().nullable(),
  retryable: z.boolean(),
});

const failed = z.object({
  error: failure,
  why: z.enum(['error', 'timeout', 'lease-expired']),
  /** Null when no attempt follows; what ends the job then stands in the same append. */
  retry_at: instant.nullable(),
});

/** The data of each event, by its name. */
export const jobEventData = {
  Submitted: submitted,
  Claimed: claimed,
  Heartbeat: heartbeat,
  Succeeded: z.object({ result: json }),
  Failed: failed,
  Released: z.object({ scheduled_at: instant, reason }),
  DeadLettered: z.object({ reason: z.enum(['attempts', 'not-retryable', 'crashes']) }),
  Replayed: z.object({ reason, max_attempts: z.number().int().min(1), scheduled_at: instant }),
  CancelRequested: z.object({ reason }),
  Cancelled: z.object({ reason }),
  Rescheduled: z.object({ scheduled_at: instant, priority: z.number().int() }),
  Acknowledged: z.object({ reason }),
  KeyReleased: z.object({}),
} as const;

export type JobEventType = keyof typeof jobEventData;
export type JobEventData<T extends JobEventType> = z.output<(typeof jobEventData)[T]>;
export type JobEvent = { [T in JobEventType]: { readonly type: T; readonly data: JobEventData<T> } }[JobEventType];

/** An event together with what only the log knows of it. */
export type RecordedJobEvent = JobEvent & {
  readonly id: string;
  readonly version: number;
  /** Epoch milliseconds. */
  readonly recordedAt: number;
  readonly actor: string;
};

export type JobOrigin = z.output<typeof origin>;
export type JobFailure = z.output<typeof failure>;
export type FailureCause = JobEventData<'Failed'>['why'];
export type DeadReason = JobEventData<'DeadLettered'>['reason'];

const BECOMES_DUE: ReadonlySet<string> = new Set<JobEventType>([
  'Submitted',
  'Failed',
  'Released',
  'Replayed',
  'Rescheduled',
]);

/** Whether a job may be due after such an event that was not before. */
export function mayBecomeDue(type: string): boolean {
  return BECOMES_DUE.has(type);
}

export const JOB_EVENT_TYPES = Object.keys(jobEventData) as readonly JobEventType[];
