import { backoffMs } from '#runtime/timer';
import { LogUnavailable, type Page, type SubscriptionOptions } from './port.ts';
import type { Look, LookOptions, SharedReads } from './shared-reads.ts';
import type { WakeUps } from './wake-ups.ts';

/** What a subscription needs of a store. */
export interface Feed {
  readonly reads: Pick<SharedReads, 'look'>;
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

/** One size for all who follow the log in a process: a read is shared by them, and none takes a part for the whole. */
const DEFAULT_PAGE_SIZE = 2000;
const BACKOFF = { firstMs: 50, longestMs: 2000 };

/**
 * Pages of events as they come, until the signal aborts. The next page is read when the consumer asks for it, so a slow
 * consumer holds nothing in memory but the page it works on; pages may be shared with other subscriptions. An outage of the log is waited out from the same position.
 * @throws ForeignPosition at the first step, or later when the log was put back to an earlier state.
 */
export async function* subscribePages(feed: Feed, options: SubscriptionOptions): AsyncGenerator<Page, void, void> {
  const { signal, pageSize = DEFAULT_PAGE_SIZE } = options;
  let after = options.after;
  let anew = true;
  while (!signal.aborted) {
    const look = await lookThroughOutages(feed, { after, limit: pageSize, anew }, signal);
    if (look === undefined) return;
    if (look.page.events.length > 0) yield look.page;
    after = look.page.next;
    anew = look.isEnd && !(await feed.wakeUps.wait(look.seen, feed.pollMs, signal));
  }
}

async function lookThroughOutages(feed: Feed, options: LookOptions, signal: AbortSignal): Promise<Look | undefined> {
  for (let failures = 0; ; failures += 1) {
    try {
      const look = await orAborted(feed.reads.look(options), signal);
      if (failures > 0 && look !== undefined) feed.observer?.resumed();
      return look;
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
