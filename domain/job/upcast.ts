import { type JobEvent, type JobEventType, jobEventData, type RecordedJobEvent } from './events.ts';

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

/** An event that this version of the program cannot read: unknown, newer than the program, or damaged. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';
}

/**
 * Makes today's event of a stored one. Fields that are not known are left out; a type, a schema version or a shape that
 * is not known is refused, since a fold that guesses writes wrong rows.
 * @throws UnreadableEvent
 */
export function readJobEvent(stored: { type: string; schemaVersion: number; data: unknown }): JobEvent {
  if (!Object.hasOwn(jobEventData, stored.type))
    throw new UnreadableEvent(`The event type ${stored.type} is not known`);
  const type = stored.type as JobEventType;
  if (stored.schemaVersion !== JOB_EVENT_SCHEMA_VERSIONS[type]) {
    throw new UnreadableEvent(`Schema version ${stored.schemaVersion} of ${type} is not known`);
  }
  const parsed = jobEventData[type].safeParse(stored.data);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new UnreadableEvent(`${type} is damaged at /${issue?.path.join('/')}: ${issue?.message}`);
  }
  return { type, data: parsed.data } as JobEvent;
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
  const event = readJobEvent({ type: stored.type, schemaVersion: metadata.schema_version, data: stored.data });
  return { ...event, id, version, recordedAt, actor: metadata.actor };
}
