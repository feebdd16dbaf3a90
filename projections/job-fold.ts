import { isUnfoldable } from '#domain/history';
import { evolve } from '#domain/job/evolve';
import type { Job } from '#domain/job/state';
import { recordedJobEvent } from '#domain/job/upcast';
import type { EventLog, RecordedEvent } from '#log/port';
import type { ParkedStream } from './projector/projection.ts';

/** A job that a batch moved. */
export interface FoldedJob {
  readonly before: Job | null;
  readonly after: Job;
  /** The batch's events behind `before`. */
  readonly events: readonly RecordedEvent[];
}

export interface FoldedBatch {
  readonly jobs: readonly FoldedJob[];
  readonly parked: readonly ParkedStream[];
}

/** The events of a batch by job, in order. */
export function eventsByJob(
  events: readonly RecordedEvent[],
  jobIdOf: (stream: string) => string | null,
): ReadonlyMap<string, readonly RecordedEvent[]> {
  const byJob = new Map<string, RecordedEvent[]>();
  for (const event of events) {
    const jobId = jobIdOf(event.stream);
    if (jobId === null) continue;
    const known = byJob.get(jobId);
    if (known) known.push(event);
    else byJob.set(jobId, [event]);
  }
  return byJob;
}

/**
 * Folds a batch to the last state of each job. An event that was applied before is skipped; one that cannot be read or
 * cannot follow ends its own stream at the event before it, and no other.
 */
export function foldBatch(
  byJob: ReadonlyMap<string, readonly RecordedEvent[]>,
  known: ReadonlyMap<string, Job>,
): FoldedBatch {
  const jobs: FoldedJob[] = [];
  const parked: ParkedStream[] = [];
  for (const [jobId, stored] of byJob) {
    const before = known.get(jobId) ?? null;
    const { after, events, failure } = foldJob(jobId, stored, before);
    if (after !== null && events.length > 0) jobs.push({ before, after, events });
    if (failure) parked.push(failure);
  }
  return { jobs, parked };
}

function foldJob(jobId: string, stored: readonly RecordedEvent[], before: Job | null) {
  let after = before;
  const events: RecordedEvent[] = [];
  for (const event of stored) {
    if (after !== null && event.version <= after.version) continue;
    try {
      after = evolve(jobId, after, recordedJobEvent(event));
      events.push(event);
    } catch (error) {
      if (!isUnfoldable(error)) throw error;
      return { after, events, failure: { stream: event.stream, version: event.version, error: error.message } };
    }
  }
  return { after, events, failure: undefined };
}

/**
 * Folds jobs from their streams up to what a batch starts with, for rows that are not there or in another format.
 * A stream that cannot be folded is left out: its next event will be parked.
 */
export async function foldFromStreams(
  wanted: ReadonlyMap<string, number>,
  log: Pick<EventLog, 'readStreams'>,
  jobStream: (jobId: string) => string,
): Promise<ReadonlyMap<string, FoldedJob>> {
  if (wanted.size === 0) return new Map();
  const streams = await log.readStreams([...wanted.keys()].map(jobStream));
  const upTo = [...wanted].map(([jobId, version]): [string, readonly RecordedEvent[]] => [
    jobId,
    (streams.get(jobStream(jobId)) ?? []).filter((event) => event.version <= version),
  ]);
  const { jobs } = foldBatch(new Map(upTo), new Map());
  return new Map(jobs.map((job) => [job.after.id, job]));
}
