import { isUnfoldable, type Unfoldable } from '#domain/history';
import { fold } from '#domain/job/evolve';
import type { Job } from '#domain/job/state';
import { recordedJobEvent } from '#domain/job/upcast';
import type { StreamNames } from '#domain/streams';
import type { EventLog, RecordedEvent } from '#log/port';
import type { JobAt } from './contract.ts';

/** A job to read, and what it was folded to before: then only what came after is read. */
export interface ReadRequest {
  readonly jobId: string;
  readonly base?: Job | null;
}

interface Source {
  readonly log: EventLog;
  readonly names: StreamNames;
}

/** Folds jobs from their streams; a job without a stream is left out. */
export async function readJobs(
  source: Source,
  requests: readonly ReadRequest[],
): Promise<ReadonlyMap<string, JobAt | Unfoldable>> {
  const found = new Map<string, JobAt | Unfoldable>();
  const whole = new Set<string>();
  await Promise.all(
    requests.map(async ({ jobId, base }) => {
      const at = base ? await readOn(source, base) : null;
      if (at) found.set(jobId, at);
      else whole.add(jobId);
    }),
  );
  if (whole.size === 0) return found;
  const { log, names } = source;
  const streams = await log.readStreams([...whole].map(names.job));
  for (const jobId of whole) {
    const at = foldStream(jobId, streams.get(names.job(jobId)) ?? []);
    if (at) found.set(jobId, at);
  }
  return found;
}

/** The job that a whole stream adds up to, and the position of its last event; null when there are no events. */
export function foldStream(jobId: string, events: readonly RecordedEvent[]): JobAt | Unfoldable | null {
  const last = events.at(-1);
  return last ? foldOn(jobId, null, events, last) : null;
}

/**
 * Reads from the last event that was folded before, which has to stand where it stood: so the cost of a second look does
 * not grow with the stream. Null when it does not, and the whole stream must tell.
 */
async function readOn({ log, names }: Source, base: Job): Promise<JobAt | Unfoldable | null> {
  const [known, ...events] = await log.readStream(names.job(base.id), { from: base.version });
  if (known?.id !== base.lastEventId) return null;
  return foldOn(base.id, base, events, events.at(-1) ?? known);
}

function foldOn(
  jobId: string,
  base: Job | null,
  events: readonly RecordedEvent[],
  last: RecordedEvent,
): JobAt | Unfoldable {
  try {
    return { job: fold(jobId, events.map(recordedJobEvent), base) as Job, position: last.position };
  } catch (error) {
    if (isUnfoldable(error)) return error;
    throw error;
  }
}
