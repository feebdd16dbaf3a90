import { HoldfastApiError, HoldfastUnreachable } from './errors.ts';
import { backoffMs, pause } from './retry.ts';
import { readEvents, type SseItem } from './sse.ts';
import type { Transport } from './transport.ts';
import type { CloudEvent, FeedFilter, FeedQuery } from './types.ts';

export interface FollowOptions extends FeedQuery {
  readonly signal?: AbortSignal;
}

/** The server sends a comment every 15 s; three of them missed mean that the connection is dead. */
const SILENCE_MS = 50_000;

/**
 * The feed's events, each once and in order, until the signal aborts. It reconnects for ever, from the last event that was
 * handed out; only a server that refuses (a bad position, a bad key) ends it.
 * @throws HoldfastApiError
 */
export async function* followFeed(
  transport: Transport,
  options: FollowOptions,
): AsyncGenerator<CloudEvent, void, void> {
  const { signal = new AbortController().signal, after = null, ...filter } = options;
  const place = { after, retryMs: 2000 };
  for (let failures = 0; !signal.aborted; ) {
    try {
      for await (const event of connect(transport, filter, place, signal)) {
        failures = 0;
        place.after = event.position;
        yield event;
      }
      await pause(place.retryMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!isPassing(error)) throw error;
      failures += 1;
      await pause(Math.max(place.retryMs, backoffMs(failures)), signal);
    }
  }
}

async function* connect(
  transport: Transport,
  filter: FeedFilter,
  place: { after: string | null; retryMs: number },
  signal: AbortSignal,
): AsyncGenerator<CloudEvent, void, void> {
  const query = { ...filters(filter), ...(place.after !== null && { after: place.after }) };
  const headers = { accept: 'text/event-stream' };
  const response = await transport.open(
    { method: 'GET', path: '/v1/events', query, headers, repeatable: true },
    signal,
  );
  for await (const item of readEvents(chunks(response, signal))) {
    if (item.kind === 'retry') place.retryMs = item.ms;
    // The server lets go of a client that was too slow; the rest is read from where this one is.
    if (isResync(item)) return;
    if (item.kind === 'event') yield JSON.parse(item.event.data) as CloudEvent;
  }
}

/**
 * The body until it ends, the signal aborts, or nothing came for too long. The reader is cancelled by hand: once the
 * headers are there, fetch keeps the request, and with it the way of an abort to the body, only as long as the garbage
 * collector likes.
 */
async function* chunks(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
  const end = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', end, { once: true });
  try {
    while (!signal.aborted) {
      const silence = setTimeout(end, SILENCE_MS);
      const { done, value } = await reader.read().finally(() => clearTimeout(silence));
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

function isResync(item: SseItem): boolean {
  return item.kind === 'event' && item.event.event === 'resync';
}

export function filters({
  queue = [],
  type = [],
  event = [],
  actor = [],
}: FeedFilter): Record<string, readonly string[]> {
  return { queue, type, event, actor };
}

/** A stream that breaks off throws fetch's own TypeError. */
function isPassing(error: unknown): boolean {
  if (error instanceof HoldfastApiError) return error.status === 503 || error.status === 429;
  return (
    error instanceof HoldfastUnreachable ||
    error instanceof TypeError ||
    (error instanceof Error && error.name === 'AbortError')
  );
}
