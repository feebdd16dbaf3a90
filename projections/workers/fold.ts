import { IllegalHistory } from '#domain/job/evolve';
import { UnreadableEvent } from '#domain/job/upcast';
import { WORKER_EVENT_SCHEMA_VERSION, type WorkerEvent, workerEventData } from '#domain/worker/events';
import type { RecordedEvent } from '#log/port';

/** A row of `workers`. Instants are epoch milliseconds. */
export interface WorkerRow {
  readonly worker_id: string;
  readonly started_at: number;
  readonly stopped_at: number | null;
  readonly stream_version: number;
  readonly pid: number;
  readonly concurrency: number;
  readonly host: string;
  readonly version: string;
  readonly queues: readonly string[] | null;
  readonly types: readonly string[] | null;
}

/** The worker after one more event. @throws UnreadableEvent, IllegalHistory */
export function evolveWorker(workerId: string, known: WorkerRow | undefined, stored: RecordedEvent): WorkerRow {
  const event = readWorkerEvent(stored);
  if (stored.version !== (known?.stream_version ?? -1) + 1) {
    throw new IllegalHistory(
      `${event.type} (version ${stored.version}) cannot follow version ${known?.stream_version ?? 'none'}`,
    );
  }
  switch (event.type) {
    case 'WorkerStarted':
      return {
        ...event.data,
        worker_id: workerId,
        started_at: stored.recordedAt,
        stopped_at: null,
        stream_version: stored.version,
      };
    case 'WorkerStopped':
      if (!known) throw new IllegalHistory('WorkerStopped cannot follow nothing');
      return { ...known, stopped_at: stored.recordedAt, stream_version: stored.version };
  }
}

function readWorkerEvent({ type, data, metadata }: RecordedEvent): WorkerEvent {
  if (!Object.hasOwn(workerEventData, type)) throw new UnreadableEvent(`The event type ${type} is not known`);
  if (metadata.schema_version !== WORKER_EVENT_SCHEMA_VERSION) {
    throw new UnreadableEvent(`Schema version ${metadata.schema_version} of ${type} is not known`);
  }
  const parsed = workerEventData[type as WorkerEvent['type']].safeParse(data);
  if (!parsed.success) throw new UnreadableEvent(`${type} is damaged: ${parsed.error.issues[0]?.message}`);
  return { type, data: parsed.data } as WorkerEvent;
}
