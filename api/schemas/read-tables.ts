import { z } from 'zod';

const instant = z.string().meta({ format: 'date-time' });
const count = z.int().min(0);

export const queueSchema = z
  .object({
    name: z.string(),
    version: z.int(),
    paused: z.boolean(),
    paused_by: z.string().nullable(),
    pause_reason: z.string().nullable(),
    concurrency: z.int().nullable(),
    concurrency_per_key: z.int().nullable(),
    rate_limit: z.object({ limit: z.int(), period_seconds: z.int(), per: z.string() }).nullable(),
    slots_in_use: count,
    depth: z.object({ pending: count, running: count, succeeded: count, dead: count, cancelled: count }),
    due: count.meta({ description: 'Pending jobs whose time has come' }),
    oldest_due_at: instant.nullable(),
    oldest_due_seconds: z.number().nullable(),
    rates: z
      .object({ submitted: z.number(), started: z.number(), finished: z.number() })
      .meta({ description: 'Per second, over the last minute' }),
  })
  .meta({ id: 'Queue' });

export const workerSchema = z
  .object({
    worker_id: z.string(),
    host: z.string().nullable(),
    pid: z.int().nullable(),
    version: z.string().nullable(),
    status: z.enum(['active', 'quiet', 'stopping', 'gone']),
    queues: z.array(z.string()).nullable(),
    types: z.array(z.string()).nullable(),
    concurrency: z.int().nullable(),
    running: count.nullable(),
    last_seen_at: instant,
  })
  .meta({ id: 'Worker' });

const rebuild = z.object({
  state: z.enum(['building', 'comparing', 'swapped', 'refused', 'cancelled', 'failed']),
  generation: z.int(),
  done: count,
  total: count,
  eta_seconds: z.number().nullable(),
  started_at: instant,
  finished_at: instant.nullable(),
  difference: z.unknown(),
});

export const projectionSchema = z
  .object({
    name: z.string(),
    state: z.enum(['live', 'catching-up', 'paused', 'failed']),
    generation: z.int(),
    position: z.string().nullable(),
    lag_events: count,
    lag_seconds: z.number(),
    parked_streams: count,
    rebuild: rebuild.nullable(),
  })
  .meta({ id: 'Projection' });
