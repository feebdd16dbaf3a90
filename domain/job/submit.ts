import { z } from 'zod';
import { plusSeconds, toInstantText } from '../instant.ts';
import { InvalidRequest, parseRequest } from '../json/problems.ts';
import { fitsJsonBytes, type JsonObject } from '../json/value.ts';
import type { JobEvent, JobOrigin } from './events.ts';
import { field, oneStart } from './fields.ts';
import {
  DEFAULT_LEASE_SECONDS,
  DEFAULT_MAX_ATTEMPTS,
  DEFAULT_QUEUE,
  LAST_INSTANT,
  MAX_PAYLOAD_BYTES,
} from './limits.ts';
import { DEFAULT_RETRY, retryPolicy } from './retry.ts';

/** What a client may say about a job it submits. */
export const submitRequest = z
  .strictObject({
    type: field.type.optional(),
    queue: field.queue.optional(),
    payload: field.payload.optional(),
    priority: field.priority.optional(),
    scheduled_at: field.scheduledAt.optional(),
    delay_seconds: field.delaySeconds.optional(),
    max_attempts: field.attempts.optional(),
    max_crashes: field.attempts.optional(),
    retry: retryPolicy.optional(),
    lease_seconds: field.leaseSeconds.optional(),
    timeout_seconds: field.timeoutSeconds.nullable().optional(),
    tags: field.tags.optional(),
  })
  .refine(oneStart.holds, oneStart.told);

/** A submit as it was sent, in the API's words: what the fingerprint is taken of. */
export type SubmitRequestInput = z.input<typeof submitRequest>;
export type SubmitRequest = z.output<typeof submitRequest>;

/**
 * Checks a submit as it was sent.
 * @param base - JSON Pointer of the request within the body, for bulk items.
 * @throws InvalidRequest naming every wrong field; with code `payload-too-large` when only the size is wrong.
 */
export function parseSubmit(value: unknown, base = ''): SubmitRequest {
  const request = parseRequest(submitRequest, value, base);
  checkPayloadSize(request.payload, base);
  return request;
}

/** @throws InvalidRequest with code `payload-too-large`. */
export function checkPayloadSize(payload: JsonObject | undefined, base = ''): void {
  if (payload === undefined || fitsJsonBytes(payload, MAX_PAYLOAD_BYTES)) return;
  const detail = `must be at most ${MAX_PAYLOAD_BYTES} bytes of JSON; keep large data elsewhere and pass a reference`;
  throw new InvalidRequest([{ pointer: `${base}/payload`, detail }], 'payload-too-large');
}

/** What is known of a submit beside the request itself. */
export interface SubmitFacts {
  readonly fingerprint: string;
  readonly idempotencyKey: string | null;
  readonly keyUse: number | null;
  readonly origin: JobOrigin;
  readonly reason?: string | null;
  /** Epoch milliseconds. */
  readonly now: number;
}

export const SUBMITTED_BY_API: JobOrigin = { kind: 'api', schedule: null, occurrence_at: null, job_id: null };

/** The first event of a job, with all defaults filled in: what the job does never depends on later defaults. */
export function decideSubmit(request: SubmitRequest, facts: SubmitFacts): Extract<JobEvent, { type: 'Submitted' }> {
  const queue = request.queue ?? DEFAULT_QUEUE;
  const maxAttempts = request.max_attempts ?? DEFAULT_MAX_ATTEMPTS;
  return {
    type: 'Submitted',
    data: {
      type: request.type ?? queue,
      queue,
      payload: request.payload ?? {},
      priority: request.priority ?? 0,
      scheduled_at: toInstantText(startOf(request, facts.now)),
      max_attempts: maxAttempts,
      max_crashes: request.max_crashes ?? maxAttempts,
      retry: request.retry ?? DEFAULT_RETRY,
      lease_seconds: request.lease_seconds ?? DEFAULT_LEASE_SECONDS,
      timeout_seconds: request.timeout_seconds ?? null,
      tags: request.tags ?? [],
      fingerprint: facts.fingerprint,
      idempotency_key: facts.idempotencyKey,
      key_use: facts.keyUse,
      ...(facts.reason != null && { reason: facts.reason }),
      origin: facts.origin,
    },
  };
}

/** The earliest start: an instant in the past means now. */
export function startOf(
  request: { scheduled_at?: number | undefined; delay_seconds?: number | undefined },
  now: number,
): number {
  if (request.delay_seconds !== undefined) return plusSeconds(now, request.delay_seconds);
  return Math.min(LAST_INSTANT, Math.max(now, request.scheduled_at ?? now));
}
