import { z } from 'zod';
import { field, jsonValue, text, whole } from '#domain/job/fields';
import { MAX_PROGRESS_BYTES, MAX_RESULT_BYTES } from '#domain/job/limits';
import { InvalidRequest } from '#domain/json/problems';
import { fitsJsonBytes, type JsonValue } from '#domain/json/value';
import { jobSchema } from './job.ts';

/* The lease protocol for workers in any language. */

const names = (item: z.ZodType<string, string>) =>
  z.array(item).min(1, 'must name at least one').max(100, 'must name at most 100').nullable().optional();

export const leaseRequest = z
  .strictObject({
    worker_id: field.workerId,
    queues: names(field.queue),
    types: names(field.type),
    max_jobs: whole(1, 100).optional(),
    lease_seconds: field.leaseSeconds.nullable().optional(),
    wait_seconds: whole(0, 60).optional(),
    request_id: field.requestId.nullable().optional(),
  })
  .meta({ examples: [{ worker_id: 'w1', queues: ['default'], max_jobs: 10, wait_seconds: 30 }] });

/** As long as the largest body may be; what is stored of it is cut. */
const errorText = text(16 * 1024 * 1024);

const reportedError = z.strictObject({
  message: errorText,
  code: text(255).nullable().optional(),
  stack: errorText.nullable().optional(),
});

const token = { fencing_token: field.fencingToken };

const heartbeatFields = { ...token, progress: jsonValue.optional(), checkpoint: jsonValue.optional() };
const completeFields = { ...token, result: jsonValue.optional() };
const failFields = {
  ...token,
  error: reportedError,
  retryable: z.boolean().optional(),
  retry_after_seconds: field.delaySeconds.nullable().optional(),
};
const releaseFields = { ...token, delay_seconds: field.delaySeconds.optional(), reason: field.reason.optional() };

export const heartbeatRequest = z.strictObject(heartbeatFields).meta({ examples: [{ fencing_token: 2 }] });
export const completeRequest = z
  .strictObject(completeFields)
  .meta({ examples: [{ fencing_token: 2, result: { width: 200 } }] });
export const failRequest = z
  .strictObject(failFields)
  .meta({ examples: [{ fencing_token: 2, error: { message: 'no such file', code: 'ENOENT', stack: null } }] });
export const releaseRequest = z
  .strictObject(releaseFields)
  .meta({ examples: [{ fencing_token: 2, delay_seconds: 30 }] });

const of = <K extends string>(action: K) => ({ job_id: z.string(), action: z.literal(action) });

/** One outcome of a batch: a report with its job and its kind. */
export const outcomeItem = z.discriminatedUnion('action', [
  z.strictObject({ ...of('heartbeat'), ...heartbeatFields }),
  z.strictObject({ ...of('complete'), ...completeFields }),
  z.strictObject({ ...of('fail'), ...failFields }),
  z.strictObject({ ...of('release'), ...releaseFields }),
]);

export type HeartbeatRequest = z.output<typeof heartbeatRequest>;
export type CompleteRequest = z.output<typeof completeRequest>;
export type FailRequest = z.output<typeof failRequest>;
export type ReleaseRequest = z.output<typeof releaseRequest>;
export type OutcomeItem = z.output<typeof outcomeItem>;

const LIMITS = { result: MAX_RESULT_BYTES, progress: MAX_PROGRESS_BYTES, checkpoint: MAX_PROGRESS_BYTES } as const;

/** @throws InvalidRequest with code `payload-too-large`, naming the fields that are. */
export function checkSizes(report: object, base = ''): void {
  const given = report as { readonly [K in keyof typeof LIMITS]?: JsonValue };
  const problems = Object.entries(LIMITS).flatMap(([name, limit]) => {
    const value = given[name as keyof typeof LIMITS];
    if (value === undefined || fitsJsonBytes(value, limit)) return [];
    return [{ pointer: `${base}/${name}`, detail: `must be at most ${limit} bytes of JSON` }];
  });
  if (problems.length > 0) throw new InvalidRequest(problems, 'payload-too-large');
}

export const leasesAnswer = z.object({
  leases: z.array(
    z.object({
      job: jobSchema,
      fencing_token: z.int().min(1),
      lease_expires_at: z.string().meta({ format: 'date-time' }),
      lease_seconds: z.int(),
    }),
  ),
});

export const heartbeatAnswer = z.object({
  lease_expires_at: z.string().meta({ format: 'date-time' }),
  cancel_requested: z.boolean(),
});
