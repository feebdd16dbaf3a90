import type { RecordedJobEvent } from '#domain/job/events';
import { readJobEvent } from '#domain/job/upcast';
import type { RecordedEvent } from '#log/port';

/** An event of a job stream in today's shape. @throws UnreadableEvent */
export function readRecordedJobEvent(stored: RecordedEvent): RecordedJobEvent {
  const { type, data, metadata, version, recordedAt } = stored;
  const event = readJobEvent({ type, schemaVersion: metadata.schema_version, data });
  return { ...event, version, recordedAt, actor: metadata.actor } as RecordedJobEvent;
}
