import type { StreamNames } from '#domain/streams';
import type { FeedLog, FeedPage, Position, StoredEvent } from '../ports.ts';
import { cloudEvent } from './cloud-event.ts';
import type { JobKinds } from './job-kinds.ts';
import type { FeedTail } from './tail.ts';

/** Any of each; an empty list means all. */
export interface FeedFilter {
  readonly queue: readonly string[];
  readonly type: readonly string[];
  readonly event: readonly string[];
  readonly actor: readonly string[];
}

/** One event of the feed, and its place. */
export interface FeedItem {
  readonly position: Position;
  readonly event: object;
}

export interface FeedSources {
  readonly log: FeedLog;
  readonly tail: FeedTail;
  readonly names: StreamNames;
  readonly kinds: JobKinds;
}

const READ_AT_ONCE = 500;

/** Reads the next stretch of the log; an empty one at its end. What the tail of this process has is not read again. */
export async function nextStretch({ log, tail }: FeedSources, after: Position | null): Promise<FeedPage> {
  const kept = after === null ? undefined : tail.pageAfter(after);
  return kept ?? log.readAll(after, READ_AT_ONCE);
}

/** The events of a stretch that belong to jobs and pass the filter, as the feed shows them. */
export async function feedItems(
  { names, kinds }: FeedSources,
  events: readonly StoredEvent[],
  filter: FeedFilter,
): Promise<FeedItem[]> {
  const items: FeedItem[] = [];
  for (const event of events) {
    const jobId = names.jobIdOf(event.stream);
    if (jobId === null || !passes(filter.event, event.type) || !passes(filter.actor, event.metadata.actor)) continue;
    const kind = await kinds.of(event);
    if (!kind || !passes(filter.queue, kind.queue) || !passes(filter.type, kind.type)) continue;
    items.push({ position: event.position, event: cloudEvent(jobId, kind, event) });
  }
  return items;
}

function passes(wanted: readonly string[], value: string): boolean {
  return wanted.length === 0 || wanted.includes(value);
}
