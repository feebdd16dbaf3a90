import { IllegalHistory } from '#domain/history';
import { readWorkerEvent } from '#domain/worker/events';
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
  const { type, data, metadata } = stored;
  const event = readWorkerEvent({ type, data, schemaVersion: metadata.schema_version });
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
