import type { JobEvent, RecordedJobEvent } from '#domain/job/events';
import { evolve } from '#domain/job/evolve';
import type { Job } from '#domain/job/state';
import { JOB_EVENT_SCHEMA_VERSIONS } from '#domain/job/upcast';
import { type EventMetadata, type JsonObject, type NewEvent, NO_STREAM, type StreamAppend } from '#log/port';
import type { Call } from './contract.ts';

/** A job's stream moved by decided events: what to append, and the job as it will be when the append is accepted. */
export interface Move {
  readonly append: StreamAppend;
  readonly job: Job;
}

export interface MoveFacts {
  readonly stream: string;
  readonly jobId: string;
  /** The job the events were decided on; null when they start the stream. */
  readonly before: Job | null;
  readonly events: readonly JobEvent[];
  readonly call: Call;
  /** Epoch milliseconds, never earlier than the job's last event. */
  readonly recordedAt: number;
  /** The id of the n-th event. Made before the first try, so that a repeat is known again. */
  readonly eventId: (index: number) => string;
  /** What led to the first event, when that is an event of another stream. */
  readonly causedBy?: string;
}

/** Folds the decided events onto the job and dresses them for the log. */
export function move(facts: MoveFacts): Move {
  let job = facts.before;
  const events = facts.events.map((event, index): NewEvent => {
    const id = facts.eventId(index);
    const cause = job?.lastEventId ?? facts.causedBy;
    job = evolve(facts.jobId, job, recorded(event, { id, version: job ? job.version + 1 : 0, facts }));
    return {
      id,
      type: event.type,
      data: event.data as unknown as JsonObject,
      metadata: metadataOf(facts.call, JOB_EVENT_SCHEMA_VERSIONS[event.type], cause),
      recordedAt: facts.recordedAt,
      mark: { status: job.status, fencingToken: job.fencingToken },
    };
  });
  const after = job as Job | null;
  if (!after) throw new Error('A move needs at least one event');
  const expectedVersion = facts.before ? facts.before.version : NO_STREAM;
  return { append: { stream: facts.stream, expectedVersion, events, folded: after }, job: after };
}

function recorded(
  event: JobEvent,
  { id, version, facts }: { id: string; version: number; facts: MoveFacts },
): RecordedJobEvent {
  return { ...event, id, version, recordedAt: facts.recordedAt, actor: facts.call.actor };
}

/** What is kept beside the data of any event: who asked, how the request is traced, and the id of what led to it. */
export function metadataOf(call: Call, schemaVersion: number, cause: string | undefined): EventMetadata {
  const metadata: { -readonly [Name in keyof EventMetadata]: EventMetadata[Name] } = {
    schema_version: schemaVersion,
    actor: call.actor,
  };
  if (call.requestId !== undefined) metadata.request_id = call.requestId;
  if (cause !== undefined) metadata.$causationId = cause;
  if (call.traceparent !== undefined) metadata.traceparent = call.traceparent;
  return metadata;
}
