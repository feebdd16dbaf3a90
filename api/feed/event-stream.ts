import type { ServerResponse } from 'node:http';
import type { Position } from '../ports.ts';
import { type FeedFilter, type FeedSources, feedItems, nextStretch } from './feed.ts';

const PING_MS = 15_000;
/** A client that takes nothing for so long is told to start over, and let go. */
const SLOW_AFTER_MS = 10_000;
const LET_GO_AFTER_MS = 30_000;

interface StreamRequest {
  readonly after: Position | null;
  readonly filter: FeedFilter;
  readonly signal: AbortSignal;
}

/**
 * Writes the feed as server-sent events until the signal aborts. The next stretch is read when the client has taken the
 * last one, so a slow client costs no memory; one that has stopped reading gets `event: resync` and is closed.
 * @returns Whether the client was too slow.
 */
export async function streamFeed(
  sources: FeedSources,
  response: ServerResponse,
  request: StreamRequest,
): Promise<boolean> {
  const { filter, signal } = request;
  const ping = setInterval(() => response.write(': ping\n\n'), PING_MS);
  try {
    await sources.tail.start();
    response.write('retry: 2000\n\n');
    let after = request.after;
    let toldByTail = false;
    while (!signal.aborted) {
      const news = sources.tail.next(() => true, { timeoutMs: PING_MS, signal });
      if (toldByTail && after !== null && sources.tail.isAtEnd(after)) {
        toldByTail = await news;
        continue;
      }
      const { events, next } = await nextStretch(sources, after);
      const items = await feedItems(sources, events, filter);
      const text = items.map(({ position, event }) => `id: ${position}\ndata: ${JSON.stringify(event)}\n\n`).join('');
      if (text !== '' && !response.write(text) && !(await drained(response, request))) {
        letGo(response, after);
        return true;
      }
      after = next;
      toldByTail = events.length > 0 || (await news);
    }
    return false;
  } finally {
    clearInterval(ping);
    response.end();
  }
}

/** @returns False when the client took nothing for too long. */
function drained(response: ServerResponse, { signal }: StreamRequest): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (inTime: boolean) => {
      clearTimeout(timer);
      response.off('drain', onDrain);
      signal.removeEventListener('abort', onDrain);
      resolve(inTime);
    };
    const onDrain = () => settle(true);
    const timer = setTimeout(() => settle(false), SLOW_AFTER_MS);
    response.once('drain', onDrain);
    signal.addEventListener('abort', onDrain, { once: true });
  });
}

/** The client may come back with the last id it has seen; whatever is still on its way to it stays valid. */
function letGo(response: ServerResponse, after: Position | null): void {
  response.write(`event: resync\ndata: ${JSON.stringify({ after })}\n\n`);
  setTimeout(() => response.destroy(), LET_GO_AFTER_MS).unref();
}
