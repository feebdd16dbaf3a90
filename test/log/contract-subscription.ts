import { expect, it } from 'vitest';
import { type EventLog, NO_STREAM, type RecordedEvent, type SubscriptionOptions } from '#log/port';
import { until } from '../support/until.ts';
import { logForGroup, type OpenLog } from './contract.ts';
import { anAppend, anEvent, placeOf, written } from './events.ts';

/** Follows a log in the background and keeps what came. */
export function follow(log: EventLog, options: Omit<SubscriptionOptions, 'signal'>) {
  const stopping = new AbortController();
  const events: RecordedEvent[] = [];
  let next = options.after;
  const ended = (async () => {
    for await (const page of log.subscribe({ ...options, signal: stopping.signal })) {
      events.push(...page.events);
      next = page.next;
    }
  })();
  // A failure shows where the caller stops; until then it must not count as unhandled.
  ended.catch(() => undefined);
  const stop = async () => {
    stopping.abort();
    await ended;
  };
  return { events, stop, next: () => next };
}

export function subscriptionContract(open: OpenLog): void {
  const log = logForGroup(open);
  let streams = 0;
  const newStream = () => {
    streams += 1;
    return `followed-${streams}`;
  };

  it('gives what is there from the beginning, then what comes', async () => {
    const stream = newStream();
    await log().append([anAppend(stream, NO_STREAM, [anEvent(), anEvent()])]);
    const reader = follow(log(), { after: null });
    await until('the first two events', () => reader.events.length === 2);
    await log().append([anAppend(stream, 1)]);
    await until('the third event', () => reader.events.length === 3);
    await reader.stop();
    expect(reader.events.map(placeOf)).toEqual([0, 1, 2].map((version) => `${stream}@${version}`));
  });

  it('begins behind the position it is given', async () => {
    const stream = newStream();
    const { position } = written(await log().append([anAppend(stream, NO_STREAM)]));
    await log().append([anAppend(stream, 0)]);
    const reader = follow(log(), { after: position });
    await log().append([anAppend(stream, 1)]);
    await until('both events', () => reader.events.length === 2);
    await reader.stop();
    expect(reader.events.map(({ version }) => version)).toEqual([1, 2]);
  });

  it('misses and repeats nothing when it is resumed where it stopped, in small pages', async () => {
    const after = await log().head();
    const seen: RecordedEvent[] = [];
    let resumeAt = after;
    const writer = (async () => {
      for (let n = 0; n < 40; n += 1)
        await log().append([anAppend(newStream(), NO_STREAM, [anEvent(), anEvent(), anEvent()])]);
    })();
    while (seen.length < 120) {
      const reader = follow(log(), { after: resumeAt, pageSize: 7 });
      await until('a page', () => reader.events.length > 0);
      await reader.stop();
      seen.push(...reader.events);
      resumeAt = reader.next() ?? resumeAt;
    }
    await writer;
    const all = await log().readAll(after, 1000);
    expect(seen.map(placeOf)).toEqual(all.events.map(placeOf));
  });

  it('holds no more than the page it works on while its consumer is slow', async () => {
    const stream = newStream();
    const after = await log().head();
    await log().append([anAppend(stream, NO_STREAM, [anEvent(), anEvent(), anEvent()])]);
    const stopping = new AbortController();
    const pages = log().subscribe({ after, pageSize: 2, signal: stopping.signal })[Symbol.asyncIterator]();
    const first = await pages.next();
    await log().append([anAppend(stream, 2)]);
    const second = await pages.next();
    expect(first.value?.events.map(({ version }: RecordedEvent) => version)).toEqual([0, 1]);
    expect(second.value?.events.map(({ version }: RecordedEvent) => version)).toEqual([2, 3]);
    stopping.abort();
    expect(await pages.next()).toEqual({ done: true, value: undefined });
  });

  it('ends at once when its signal aborts while it waits', async () => {
    const stopping = new AbortController();
    const pages = log()
      .subscribe({ after: await log().head(), signal: stopping.signal })
      [Symbol.asyncIterator]();
    const next = pages.next();
    const before = performance.now();
    stopping.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(performance.now() - before).toBeLessThan(500);
  });

  it('gives nothing when its signal was aborted before', async () => {
    const pages = log().subscribe({ after: null, signal: AbortSignal.abort() })[Symbol.asyncIterator]();
    expect(await pages.next()).toEqual({ done: true, value: undefined });
  });

  it('ends when the log is closed', async () => {
    const own = await open();
    const reader = follow(own.log, { after: null });
    await own.log.append([anAppend('closing', NO_STREAM)]);
    await until('the event', () => reader.events.length === 1);
    await own.log.close();
    await reader.stop();
    await own.drop();
  });
}
