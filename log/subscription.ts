import { backoffMs } from '#runtime/timer';
import { type EventLog, LogUnavailable, type Page, type Position, type SubscriptionOptions } from './port.ts';
import type { WakeUps } from './wake-ups.ts';

/** What a subscription needs of a store. */
export interface Feed {
  readonly readAll: EventLog['readAll'];
  readonly wakeUps: WakeUps;
  /** The longest time between two looks, in milliseconds. */
  readonly pollMs: number;
  /** Hears of outages, for the log of the process. */
  readonly observer?: SubscriptionObserver;
}

export interface SubscriptionObserver {
  interrupted(error: LogUnavailable): void;
  resumed(): void;
}

const DEFAULT_PAGE_SIZE = 1000;
const BACKOFF = { firstMs: 50, longestMs: 2000 };

/**
 * Pages of events as they come, until the signal aborts. The next page is read when the consumer asks for it, so a slow
 * consumer holds nothing in memory but the page it works on. An outage of the log is waited out from the same position.
 * @throws ForeignPosition at the first step, or later when the log was put back to an earlier state.
 */
export async function* subscribePages(feed: Feed, options: SubscriptionOptions): AsyncGenerator<Page, void, void> {
  const { signal, pageSize = DEFAULT_PAGE_SIZE } = options;
  let after = options.after;
  while (!signal.aborted) {
    const seen = feed.wakeUps.count;
    const page = await readThroughOutages(feed, after, pageSize, signal);
    if (page === undefined) return;
    if (page.events.length > 0) yield page;
    after = page.next;
    if (page.events.length < pageSize) await feed.wakeUps.wait(seen, feed.pollMs, signal);
  }
}

async function readThroughOutages(
  feed: Feed,
  after: Position | null,
  limit: number,
  signal: AbortSignal,
): Promise<Page | undefined> {
  for (let failures = 0; ; failures += 1) {
    try {
      const page = await orAborted(feed.readAll(after, limit), signal);
      if (failures > 0 && page !== undefined) feed.observer?.resumed();
      return page;
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error;
      if (failures === 0) feed.observer?.interrupted(error);
      await feed.wakeUps.wait(feed.wakeUps.count, backoffMs(failures, BACKOFF), signal);
      if (signal.aborted) return undefined;
    }
  }
}

/** Settles like `work`, or with `undefined` as soon as the signal aborts, since a read may hang as long as its timeout. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(undefined);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
