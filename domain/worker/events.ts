import { z } from 'zod';

/*
 * The events of a worker process, in the stream `worker-<id>`. Storage format, as those of the job. When a worker was
 * last seen is a mark in its read table and no event.
 */
const started = z.object({
  host: z.string(),
  pid: z.number().int(),
  version: z.string(),
  queues: z.array(z.string()).nullable(),
  types: z.array(z.string()).nullable(),
  concurrency: z.number().int().min(1),
});

export const workerEventData = { WorkerStarted: started, WorkerStopped: z.object({}) } as const;

export type WorkerEvent =
  | { readonly type: 'WorkerStarted'; readonly data: z.output<typeof started> }
  | { readonly type: 'WorkerStopped'; readonly data: z.output<typeof workerEventData.WorkerStopped> };

export const WORKER_EVENT_SCHEMA_VERSION = 1;
