import { z } from 'zod';
import { JOB_ID_PATTERN } from '#domain/job/identity';
import { DEFAULT_RETRY, retryPolicy } from '#domain/job/retry';
import { JOB_STATUSES } from '#domain/job/state';

const instant = z.string().meta({ format: 'date-time' });
const json = z.unknown().meta({ description: 'Any JSON value' });
const count = z.int().min(0);

const example = {
  id: '01937d2e-8c4a-7b1e-9f00-5a1c2d3e4f50',
  type: 'image.resize',
  queue: 'default',
  status: 'pending',
  version: 0,
  priority: 0,
  tags: ['vip'],
  payload: { path: 'a.png' },
  result: null,
  progress: null,
  checkpoint: null,
  created_at: '2026-11-30T12:00:00.000Z',
  updated_at: '2026-11-30T12:00:00.000Z',
  scheduled_at: '2026-11-30T12:00:00.000Z',
  started_at: null,
  finished_at: null,
  expires_at: null,
  lease_seconds: 30,
  timeout_seconds: null,
  attempt: 0,
  max_attempts: 5,
  crashes: 0,
  max_crashes: 5,
  releases: 0,
  replays: 0,
  fencing_token: 0,
  lease: null,
  cancel: null,
  retry: DEFAULT_RETRY,
  last_error: null,
  dead_reason: null,
  acknowledged: false,
  idempotency_key: null,
  concurrency_key: null,
  unique: null,
  origin: { kind: 'api', schedule: null, occurrence_at: null, job_id: null },
};

const lastError = z.object({
  message: z.string(),
  code: z.string().nullable(),
  stack: z.string().nullable(),
  retryable: z.boolean(),
  why: z.enum(['error', 'timeout', 'lease-expired']),
  attempt: z.int().min(1),
  at: instant,
});

const large = { payload: z.record(z.string(), z.unknown()), result: json, progress: json, checkpoint: json };

const facts = {
  id: z.uuid(),
  type: z.string(),
  queue: z.string(),
  status: z.enum(JOB_STATUSES),
  version: count.meta({ description: "Version of the job's last event, from 0; also its ETag" }),
  priority: z.int().min(-100).max(100),
  tags: z.array(z.string()),
  created_at: instant,
  updated_at: instant,
  scheduled_at: instant.meta({ description: 'The earliest start of the next attempt' }),
  started_at: instant.nullable().meta({ description: 'The last claim' }),
  finished_at: instant.nullable(),
  expires_at: instant.nullable(),
  lease_seconds: z.int(),
  timeout_seconds: z.int().nullable(),
  attempt: count.meta({ description: 'Claims since the last replay, less releases' }),
  max_attempts: z.int().min(1),
  crashes: count.meta({ description: 'Lease expiries in a row' }),
  max_crashes: z.int().min(1),
  releases: count,
  replays: count,
  fencing_token: count.meta({ description: 'Rises by one at every claim and never falls' }),
  lease: z.object({ worker_id: z.string(), expires_at: instant }).nullable(),
  cancel: z.object({ requested_at: instant, actor: z.string(), reason: z.string().nullable() }).nullable(),
  retry: retryPolicy,
  last_error: lastError.nullable(),
  dead_reason: z.enum(['attempts', 'not-retryable', 'crashes']).nullable(),
  acknowledged: z.boolean(),
  idempotency_key: z.string().nullable(),
  concurrency_key: z.string().nullable(),
  unique: z.record(z.string(), z.unknown()).nullable(),
  origin: z.object({
    kind: z.enum(['api', 'schedule', 'replay-as-new']),
    schedule: z.string().nullable(),
    occurrence_at: instant.nullable(),
    job_id: z.string().nullable(),
  }),
};

/** A job as answers show it. These schemas describe; what is sent is made by `jobView`. */
export const jobSchema = z.object({ ...facts, ...large }).meta({ id: 'Job', examples: [example] });

/** A job of a list: the large fields are absent unless they were asked for. */
export const listedJobSchema = z
  .object({
    ...facts,
    payload: large.payload.optional(),
    result: large.result.optional(),
    progress: large.progress.optional(),
    checkpoint: large.checkpoint.optional(),
  })
  .meta({ id: 'ListedJob' });

export const jobPath = z.object({
  id: z.string().regex(JOB_ID_PATTERN).meta({ format: 'uuid' }),
});
