import type { Position } from '../ports.ts';
import { type FeedFilter, type FeedItem, type FeedSources, feedItems, nextStretch } from './feed.ts';

export interface FeedPageRequest {
  readonly after: Position | null;
  readonly limit: number;
  readonly waitSeconds: number;
  readonly filter: FeedFilter;
  readonly signal: AbortSignal;
}

export interface FeedPageAnswer {
  readonly data: readonly object[];
  /** What goes into `after` for the next page, also when this one is empty. */
  readonly nextAfter: Position;
}

/** A filter that lets little through must not make one call read the whole log: the client comes back for the rest. */
const MOST_EVENTS = 10_000;
const LOOK_AGAIN_MS = 5000;

/** Collects events until the page is full, the log has no more, or, with a wait, something came. */
export async function readFeedPage(sources: FeedSources, request: FeedPageRequest): Promise<FeedPageAnswer> {
  const end = performance.now() + request.waitSeconds * 1000;
  if (request.waitSeconds > 0) await sources.tail.start();
  let after = request.after;
  for (;;) {
    const left = end - performance.now();
    const waiting = { timeoutMs: Math.min(Math.max(0, left), LOOK_AGAIN_MS), signal: request.signal };
    const news = request.waitSeconds > 0 ? sources.tail.next(() => true, waiting) : undefined;
    const page = await collect(sources, request, after);
    if (page.data.length > 0 || left <= 0 || request.signal.aborted || !page.atEnd) return page;
    after = page.nextAfter;
    await news;
  }
}

async function collect(
  sources: FeedSources,
  { limit, filter }: FeedPageRequest,
  from: Position | null,
): Promise<FeedPageAnswer & { readonly atEnd: boolean }> {
  const found: FeedItem[] = [];
  let after = from;
  for (let looked = 0; looked < MOST_EVENTS; ) {
    const { events, next } = await nextStretch(sources, after);
    looked += events.length;
    found.push(...(await feedItems(sources, events, filter)));
    after = next;
    if (found.length >= limit) return full(found.slice(0, limit), found.length === limit ? next : undefined);
    if (events.length === 0) return { data: found.map(({ event }) => event), nextAfter: next, atEnd: true };
  }
  return { data: found.map(({ event }) => event), nextAfter: after as Position, atEnd: false };
}

/** A full page ends with its last event, not where reading had come to. */
function full(found: readonly FeedItem[], next: Position | undefined): FeedPageAnswer & { readonly atEnd: boolean } {
  const last = found.at(-1) as FeedItem;
  return { data: found.map(({ event }) => event), nextAfter: next ?? last.position, atEnd: false };
}
