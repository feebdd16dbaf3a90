import { HoldfastApiError, HoldfastUnreachable } from './errors.ts';
import { backoffMs, pause } from './retry.ts';
import { readEvents, type SseItem } from './sse.ts';
import type { Transport } from './transport.ts';
import type { CloudEvent, FeedFilter } from './wire.ts';

export interface FollowOptions extends FeedFilter {
  /** Position to go on after; `null` begins at the beginning of the log. */
  readonly after: string | null;
  readonly signal: AbortSignal;
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
  const { signal } = options;
  const place = { after: options.after, retryMs: 2000 };
  for (let failures = 0; !signal.aborted; ) {
    try {
      for await (const event of connect(transport, options, place)) {
        failures = 0;
        place.after = event.position;
        yield event;
      }
      await pause(place.retryMs, signal);
    } catch (error) {
      if (!isPassing(error)) throw error;
      failures += 1;
      await pause(Math.max(place.retryMs, backoffMs(failures)), signal);
    }
  }
}

async function* connect(
  transport: Transport,
  { queue, type, event, actor, signal }: FollowOptions,
  place: { after: string | null; retryMs: number },
): AsyncGenerator<CloudEvent, void, void> {
  const silence = new AbortController();
  let timer = setTimeout(() => {}, 0);
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_MS);
  };
  try {
    const response = await transport.open(
      {
        method: 'GET',
        path: '/v1/events',
        query: { ...filters({ queue, type, event, actor }), ...(place.after !== null && { after: place.after }) },
        headers: { accept: 'text/event-stream' },
        repeatable: true,
      },
      AbortSignal.any([signal, silence.signal]),
    );
    alive();
    for await (const item of readEvents(response.body ?? new ReadableStream())) {
      alive();
      if (item.kind === 'retry') place.retryMs = item.ms;
      // The server lets go of a client that was too slow; the rest is read from where this one is.
      if (isResync(item)) return;
      if (item.kind === 'event') yield JSON.parse(item.event.data) as CloudEvent;
    }
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function isResync(item: SseItem): boolean {
  return item.kind === 'event' && item.event.event === 'resync';
}

export function filters(
  filter: { [K in keyof FeedFilter]: FeedFilter[K] | undefined },
): Record<string, readonly string[]> {
  const given = Object.entries(filter).filter(([, values]) => values !== undefined && values.length > 0);
  return Object.fromEntries(given) as Record<string, readonly string[]>;
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
