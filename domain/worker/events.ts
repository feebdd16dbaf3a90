import { z } from 'zod';
import { readEvent, type StoredData } from '../history.ts';

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

/** The schema version that each event type is written with today. */
export const WORKER_EVENT_SCHEMA_VERSIONS: Readonly<Record<WorkerEvent['type'], number>> = {
  WorkerStarted: 1,
  WorkerStopped: 1,
};

/** Makes today's event of a stored one. @throws UnreadableEvent */
export function readWorkerEvent(stored: StoredData): WorkerEvent {
  return readEvent({ data: workerEventData, versions: WORKER_EVENT_SCHEMA_VERSIONS }, stored);
}
