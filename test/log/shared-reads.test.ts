import { describe, expect, it } from 'vitest';
import { LogUnavailable, type Position, type RecordedEvent } from '#log/port';
import { positionsOf } from '#log/position';
import { type FreshPage, SharedReads } from '#log/shared-reads';
import { subscribePages } from '#log/subscription';
import { WakeUps } from '#log/wake-ups';
import { until } from '../support/until.ts';
import { anEvent } from './events.ts';

const NEVER_MS = 600_000;
const positions = positionsOf('5eed5eed-0000-4000-8000-000000000000');

/** A store whose reads end when the test says so, each with what was there when it began. */
class HeldStore {
  readonly wakeUps = new WakeUps();
  readonly reads = new SharedReads((after, limit) => this.#read(after, limit), this.wakeUps);
  readonly asked: { after: number; limit: number }[] = [];
  readonly waiting: { answer: () => void; fail: (error: Error) => void }[] = [];
  readonly #events: RecordedEvent[] = [];
  isHeld = false;
  eventSize = 1;

  get length(): number {
    return this.#events.length;
  }

  append(count = 1): void {
    for (let n = 0; n < count; n += 1) {
      const version = this.#events.length;
      this.#events.push({ ...anEvent(), stream: 'one', version, position: positions.format(version + 1) });
    }
  }

  appendAndWake(count = 1): void {
    this.append(count);
    this.wakeUps.wake();
  }

  #read(after: Position | null, limit: number): Promise<FreshPage> {
    const from = after === null ? 0 : positions.parse(after);
    this.asked.push({ after: from, limit });
    const events = this.#events.slice(from, from + limit);
    const page = {
      events,
      next: events.at(-1)?.position ?? positions.format(from),
      size: events.length * this.eventSize,
      isEnd: events.length < limit,
    };
    if (!this.isHeld) return Promise.resolve(page);
    const { promise, resolve, reject } = Promise.withResolvers<FreshPage>();
    this.waiting.push({ answer: () => resolve(page), fail: reject });
    return promise;
  }
}

function follower(store: HeldStore, options: { pageSize?: number; pollMs?: number } = {}) {
  const stopping = new AbortController();
  const versions: number[] = [];
  const pageSizes: number[] = [];
  let work: Promise<unknown> = Promise.resolve();
  const feed = { reads: store.reads, wakeUps: store.wakeUps, pollMs: options.pollMs ?? NEVER_MS };
  const { pageSize = 1000 } = options;
  const ended = (async () => {
    for await (const { events } of subscribePages(feed, { after: null, pageSize, signal: stopping.signal })) {
      pageSizes.push(events.length);
      versions.push(...events.map(({ version }) => version));
      await work;
    }
  })();
  ended.catch(() => undefined);
  return {
    versions,
    pageSizes,
    ended,
    busyUntil: (done: Promise<unknown>) => {
      work = done;
    },
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}

const upTo = (count: number) => Array.from({ length: count }, (_, version) => version);
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('followers of one log', () => {
  it('cost one read a page, however many they are', async () => {
    const store = new HeldStore();
    const followers = [follower(store), follower(store, { pageSize: 200 }), follower(store), follower(store)];
    await settled();
    const before = store.asked.length;
    for (let count = 1; count <= 10; count += 1) {
      store.appendAndWake();
      await until('all have the event', () => followers.every(({ versions }) => versions.length === count));
    }
    expect(before).toBe(1);
    expect(store.asked.length - before).toBe(10);
    await Promise.all(followers.map(({ stop }) => stop()));
    for (const { versions } of followers) expect(versions).toEqual(upTo(10));
  });

  it('lose no wake-up that comes while the read they share is under way', async () => {
    const store = new HeldStore();
    store.isHeld = true;
    const first = follower(store);
    await until('its read is under way', () => store.waiting.length === 1);
    store.appendAndWake();
    const late = follower(store);
    await settled();
    expect(store.asked.length).toBe(1);
    store.waiting.shift()?.answer();
    await until('both look again', () => store.waiting.length === 1);
    store.waiting.shift()?.answer();
    await until('both have the event', () => first.versions.length === 1 && late.versions.length === 1);
    await Promise.all([first.stop(), late.stop()]);
  });

  it('find together what others read while they were busy, without reading it again', async () => {
    const store = new HeldStore();
    const [quick, slow] = [follower(store), follower(store)];
    const { promise: done, resolve } = Promise.withResolvers<void>();
    slow.busyUntil(done);
    for (let count = 1; count <= 5; count += 1) {
      store.appendAndWake(3);
      await until('the quick one has them', () => quick.versions.length === 3 * count);
    }
    const reads = store.asked.length;
    resolve();
    await until('the slow one has them, too', () => slow.versions.length === 15);
    expect(slow.pageSizes).toEqual([3, 12]);
    expect(store.asked.length).toBe(reads);
    await Promise.all([quick.stop(), slow.stop()]);
    expect(slow.versions).toEqual(upTo(15));
  });

  it('of different page sizes get at most what they asked for, and all of it', async () => {
    const store = new HeldStore();
    store.append(2500);
    const followers = [7, 200, 1000, 2000].map((pageSize) => ({ pageSize, ...follower(store, { pageSize }) }));
    await until('all have all', () => followers.every(({ versions }) => versions.length === 2500));
    await Promise.all(followers.map(({ stop }) => stop()));
    for (const { versions, pageSizes, pageSize } of followers) {
      expect(versions).toEqual(upTo(2500));
      expect(Math.max(...pageSizes)).toBeLessThanOrEqual(pageSize);
    }
  });

  it('poll the store although nobody was woken since it had nothing', async () => {
    const store = new HeldStore();
    const reader = follower(store, { pollMs: 20 });
    await settled();
    store.append();
    await until('the event', () => reader.versions.length === 1);
    await reader.stop();
  });

  it('all hear of a read that failed, and read anew after it', async () => {
    const store = new HeldStore();
    store.append(3);
    const interrupted: unknown[] = [];
    const feed = { reads: store.reads, wakeUps: store.wakeUps, pollMs: NEVER_MS };
    const observer = { interrupted: (error: unknown) => interrupted.push(error), resumed: () => undefined };
    const signal = AbortSignal.timeout(10_000);
    store.isHeld = true;
    const firsts = [1, 2].map(() => subscribePages({ ...feed, observer }, { after: null, signal }).next());
    await until('their read is under way', () => store.waiting.length === 1);
    store.isHeld = false;
    store.waiting.shift()?.fail(new LogUnavailable('gone'));
    const pages = await Promise.all(firsts);
    expect(interrupted).toHaveLength(2);
    expect(pages.map(({ value }) => value?.events.length)).toEqual([3, 3]);
  });

  it('are told when the log was put back to an earlier state, although its pages are still kept', async () => {
    const store = new HeldStore();
    store.append(3);
    await store.reads.look({ after: null, limit: 10, anew: true });
    store.isHeld = true;
    const failing = store.reads.look({ after: positions.format(3), limit: 10, anew: true });
    store.waiting.shift()?.fail(new Error('beyond the head'));
    await expect(failing).rejects.toThrow('beyond the head');
    store.isHeld = false;
    const reads = store.asked.length;
    await store.reads.look({ after: null, limit: 10, anew: true });
    expect(store.asked.length).toBe(reads + 1);
  });

  it('that fall behind what is kept read for themselves', async () => {
    const store = new HeldStore();
    store.eventSize = 2 ** 20;
    const [quick, slow] = [follower(store, { pageSize: 4 }), follower(store, { pageSize: 4 })];
    const { promise: done, resolve } = Promise.withResolvers<void>();
    slow.busyUntil(done);
    for (let count = 1; count <= 20; count += 1) {
      store.appendAndWake();
      await until('the quick one has it', () => quick.versions.length === count);
    }
    const reads = store.asked.length;
    resolve();
    await until('the slow one has them, too', () => slow.versions.length === 20);
    expect(store.asked.length).toBeGreaterThan(reads);
    await Promise.all([quick.stop(), slow.stop()]);
    expect(slow.versions).toEqual(upTo(20));
  });

  it('refuse to take a text between two kept positions for a place', async () => {
    const store = new HeldStore();
    store.append(3);
    const { page } = await store.reads.look({ after: null, limit: 10, anew: true });
    await expect(store.reads.look({ after: `${page.events[0]?.position}x`, limit: 10, anew: false })).rejects.toThrow(
      'not a position',
    );
  });
});
