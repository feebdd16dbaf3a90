import { readEvent, type StoredData } from '../history.ts';
import { type JobEvent, type JobEventType, jobEventData, type RecordedJobEvent } from './events.ts';
import { readStoredData } from './stored-data.ts';

/** The schema version that each event type is written with today. */
export const JOB_EVENT_SCHEMA_VERSIONS: Readonly<Record<JobEventType, number>> = {
  Submitted: 1,
  Claimed: 1,
  Heartbeat: 1,
  Succeeded: 1,
  Failed: 1,
  Released: 1,
  DeadLettered: 1,
  Replayed: 1,
  CancelRequested: 1,
  Cancelled: 1,
  Rescheduled: 1,
  Acknowledged: 1,
  KeyReleased: 1,
};

/** Makes today's event of a stored one; older versions will be upcast here. @throws UnreadableEvent */
export function readJobEvent(stored: StoredData): JobEvent {
  const type = stored.type as JobEventType;
  if (stored.schemaVersion === JOB_EVENT_SCHEMA_VERSIONS[type]) {
    const data = readStoredData(type, stored.data);
    if (data !== undefined) return { type, data } as JobEvent;
  }
  return readEvent({ data: jobEventData, versions: JOB_EVENT_SCHEMA_VERSIONS }, stored);
}

/** What `recordedJobEvent` needs of an event as the log gives it. */
export interface StoredJobEvent {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: { readonly schema_version: number; readonly actor: string };
  readonly version: number;
  readonly recordedAt: number;
}

/** The same with what only the log knows of it: what `fold` takes. @throws UnreadableEvent */
export function recordedJobEvent(stored: StoredJobEvent): RecordedJobEvent {
  const { id, version, recordedAt, metadata } = stored;
  const { type, data } = readJobEvent({ type: stored.type, schemaVersion: metadata.schema_version, data: stored.data });
  return { type, data, id, version, recordedAt, actor: metadata.actor } as RecordedJobEvent;
}
