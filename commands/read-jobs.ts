import { fold } from '#domain/job/evolve';
import type { Job } from '#domain/job/state';
import { recordedJobEvent } from '#domain/job/upcast';
import type { StreamNames } from '#domain/streams';
import type { EventLog, RecordedEvent } from '#log/port';
import type { JobAt } from './contract.ts';

/** Folds the job of each id from its stream; ids without a stream are left out. One call to the log. */
export async function readJobs(
  log: EventLog,
  names: StreamNames,
  jobIds: readonly string[],
): Promise<ReadonlyMap<string, JobAt>> {
  if (jobIds.length === 0) return new Map();
  const streams = await log.readStreams(jobIds.map(names.job));
  const jobs = new Map<string, JobAt>();
  for (const jobId of jobIds) {
    const found = foldStream(jobId, streams.get(names.job(jobId)) ?? []);
    if (found) jobs.set(jobId, found);
  }
  return jobs;
}

/** The job that a stream's events add up to, and the position of the last of them; null when there are none. */
export function foldStream(jobId: string, events: readonly RecordedEvent[]): JobAt | null {
  const last = events.at(-1);
  const job: Job | null = fold(jobId, events.map(recordedJobEvent));
  return job && last ? { job, position: last.position } : null;
}
