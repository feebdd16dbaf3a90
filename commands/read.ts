import type { Job } from '#domain/job/state';
import type { RecordedEvent } from '#log/port';
import type { JobAt } from './contract.ts';
import type { Deps } from './deps.ts';
import { foldStream, readJobs } from './read-jobs.ts';

/**
 * The job folded from its stream, so it is never older than what was acknowledged.
 * @throws UnreadableEvent, IllegalHistory when this version of the program cannot fold the stream.
 * @param upTo - Fold only to this version, or to this instant (epoch milliseconds), both inclusive.
 */
export async function readJob(
  deps: Deps,
  jobId: string,
  upTo: { readonly version?: number; readonly asOf?: number } = {},
): Promise<JobAt | null> {
  const { version = Number.POSITIVE_INFINITY, asOf = Number.POSITIVE_INFINITY } = upTo;
  const events = await deps.log.readStream(deps.names.job(jobId));
  const at = foldStream(
    jobId,
    events.filter((event) => event.version <= version && event.recordedAt <= asOf),
  );
  if (at instanceof Error) throw at;
  return at;
}

/** Many jobs folded from their streams, by id, in one read; one that does not exist or cannot be folded is left out. */
export async function readFoldable(deps: Deps, jobIds: readonly string[]): Promise<ReadonlyMap<string, Job>> {
  const found = await readJobs(
    deps,
    jobIds.map((jobId) => ({ jobId })),
  );
  return new Map([...found].flatMap(([jobId, at]) => (at instanceof Error ? [] : [[jobId, at.job] as const])));
}

/** A page of the job's events, oldest first; null when there is no such job. */
export async function readHistory(
  deps: Deps,
  jobId: string,
  page: { readonly from: number; readonly limit: number },
): Promise<readonly RecordedEvent[] | null> {
  const stream = deps.names.job(jobId);
  const events = await deps.log.readStream(stream, page);
  if (events.length > 0) return events;
  const first = await deps.log.readStream(stream, { limit: 1 });
  return first.length > 0 ? [] : null;
}
