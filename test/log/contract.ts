import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppendResult, type EventLog, NO_STREAM } from '#log/port';
import { positionContract } from './contract-positions.ts';
import { readingContract } from './contract-reading.ts';
import { subscriptionContract } from './contract-subscription.ts';
import { togetherContract } from './contract-together.ts';
import { anAppend, anEvent, only, saying, written } from './events.ts';

/** Makes an empty log of the test's own, and takes it away again. */
export type OpenLog = () => Promise<{ log: EventLog; drop(): Promise<void> }>;

/** What every store promises. `store` names it in each test. */
export function logContract(store: string, open: OpenLog): void {
  describe(`${store}: append`, () => appendContract(open));
  describe(`${store}: repeated append`, () => repeatContract(open));
  describe(`${store}: append together`, () => togetherContract(open));
  describe(`${store}: read`, () => readingContract(open));
  describe(`${store}: positions`, () => positionContract(open));
  describe(`${store}: subscription`, () => subscriptionContract(open));
}

/** One log for a group of tests; each uses streams of its own. */
export function logForGroup(open: OpenLog): () => EventLog {
  let opened: Awaited<ReturnType<OpenLog>> | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(async () => {
    await opened?.drop();
  });
  return () => {
    if (opened === undefined) throw new Error('the log is opened before the first test');
    return opened.log;
  };
}

function appendContract(open: OpenLog): void {
  const log = logForGroup(open);

  it('creates a stream once', async () => {
    const first = await log().append([anAppend('created', NO_STREAM)]);
    const second = await log().append([anAppend('created', NO_STREAM)]);
    expect(only(first)).toMatchObject({ kind: 'appended', version: 0, repeated: false });
    expect(only(second)).toEqual({ kind: 'conflict', actualVersion: 0 });
    expect(await log().readStream('created')).toHaveLength(1);
  });

  it('lets exactly one of four writers at once win, and tells each its own outcome', async () => {
    await log().append([anAppend('raced', NO_STREAM)]);
    const writers = [0, 1, 2, 3].map((writer) => anAppend('raced', 0, [saying({ writer })]));
    const results = await Promise.all(writers.map(async (append) => only(await log().append([append]))));
    const winner = results.findIndex(({ kind }) => kind === 'appended');
    expect(results.filter(({ kind }) => kind === 'appended')).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === 'conflict')).toEqual(
      Array(3).fill({ kind: 'conflict', actualVersion: 1 }),
    );
    expect((await log().readStream('raced')).at(-1)?.data).toEqual({ writer: winner });
  });

  it('refuses an expected version that is too low, with the actual one', async () => {
    await log().append([anAppend('low', NO_STREAM, [anEvent(), anEvent(), anEvent()])]);
    expect(only(await log().append([anAppend('low', 1)]))).toEqual({ kind: 'conflict', actualVersion: 2 });
  });

  it('refuses an expected version that is too high, with the actual one', async () => {
    await log().append([anAppend('high', NO_STREAM)]);
    expect(only(await log().append([anAppend('high', 1)]))).toEqual({ kind: 'conflict', actualVersion: 0 });
  });

  it('refuses any version but none of a stream that does not exist', async () => {
    expect(only(await log().append([anAppend('absent', 0)]))).toEqual({ kind: 'conflict', actualVersion: NO_STREAM });
    expect(await log().readStream('absent')).toEqual([]);
  });

  it('answers many streams in the order given, and no refused one takes others down', async () => {
    await log().append([anAppend('many-1', NO_STREAM), anAppend('many-3', NO_STREAM)]);
    const appends = [3, 2, 1, 0].map((n) => anAppend(`many-${n}`, NO_STREAM, [anEvent(), anEvent()]));
    const results = await log().append(appends);
    expect(results.map(({ kind }) => kind)).toEqual(['conflict', 'appended', 'conflict', 'appended']);
    expect(await log().readStream('many-2')).toHaveLength(2);
    expect(await log().readStream('many-3')).toHaveLength(1);
  });

  it('writes all events of an append or none, also against a writer of one event', async () => {
    for (let round = 0; round < 20; round += 1) {
      const stream = `torn-${round}`;
      const three = anAppend(
        stream,
        NO_STREAM,
        ['a', 'b', 'c'].map((part) => saying({ part })),
      );
      const one = anAppend(stream, NO_STREAM, [saying({ part: 'x' })]);
      const order = round % 2 === 0 ? [three, one] : [one, three];
      const results = await Promise.all(order.map(async (append) => only(await log().append([append]))));
      const parts = (await log().readStream(stream)).map(({ data }) => data.part).join('');
      expect(results.filter(({ kind }) => kind === 'appended')).toHaveLength(1);
      expect(['abc', 'x']).toContain(parts);
    }
  });

  it('keeps the order of two appends to one stream made in the same moment', async () => {
    const calls = [NO_STREAM, 0, 1].map((expected) => log().append([anAppend('moment', expected)]));
    const versions = (await Promise.all(calls)).map((results) => written(results).version);
    expect(versions).toEqual([0, 1, 2]);
  });

  it('takes the same stream twice in one call, one after the other', async () => {
    const results = await log().append([anAppend('twice', NO_STREAM), anAppend('twice', 0), anAppend('twice', 0)]);
    expect(results.map(({ kind }) => kind)).toEqual(['appended', 'appended', 'conflict']);
  });

  it('takes no notice of what the caller changes after the call', async () => {
    const data = { list: [1] };
    const events = [saying(data)];
    const call = log().append([anAppend('changed', NO_STREAM, events)]);
    data.list.push(2);
    events.push(anEvent());
    await call;
    expect((await log().readStream('changed')).map((event) => event.data)).toEqual([{ list: [1] }]);
  });

  it('answers nothing for no appends', async () => {
    expect(await log().append([])).toEqual([]);
  });

  it('throws at an append that nobody can mean', async () => {
    await expect(log().append([anAppend('misuse', NO_STREAM, [])])).rejects.toThrow(TypeError);
    await expect(log().append([anAppend('misuse', -2)])).rejects.toThrow(TypeError);
    await expect(log().append([anAppend('misuse', 0.5)])).rejects.toThrow(TypeError);
    await expect(log().append([anAppend('', NO_STREAM)])).rejects.toThrow(TypeError);
    for (const recordedAt of [Number.NaN, 0.5, -1, 253_402_300_800_000]) {
      await expect(log().append([anAppend('misuse', NO_STREAM, [anEvent({ recordedAt })])])).rejects.toThrow(TypeError);
    }
  });
}

function repeatContract(open: OpenLog): void {
  const log = logForGroup(open);

  it('is told the first outcome again', async () => {
    const append = anAppend('again', NO_STREAM, [anEvent(), anEvent()]);
    const first = written(await log().append([append]));
    expect(only(await log().append([append]))).toEqual({ ...first, repeated: true });
    expect(await log().readStream('again')).toHaveLength(2);
  });

  it('is told the first outcome also when the stream has moved on since', async () => {
    await log().append([anAppend('moved', NO_STREAM)]);
    const append = anAppend('moved', 0, [anEvent(), anEvent()]);
    const first = written(await log().append([append]));
    await log().append([anAppend('moved', 2, [anEvent(), anEvent()])]);
    expect(only(await log().append([append]))).toEqual({ ...first, repeated: true });
    expect(await log().readStream('moved')).toHaveLength(5);
  });

  it('is a conflict when a later id differs', async () => {
    const [first, second] = [anEvent(), anEvent()];
    await log().append([anAppend('corrupted', NO_STREAM, [first, second])]);
    const results = await log().append([anAppend('corrupted', NO_STREAM, [first, anEvent()])]);
    expect(only(results)).toEqual({ kind: 'conflict', actualVersion: 1 });
  });

  it('is a conflict when only a part of it was ever written', async () => {
    const [first, second] = [anEvent(), anEvent()];
    await log().append([anAppend('part', NO_STREAM, [first])]);
    const results = await log().append([anAppend('part', NO_STREAM, [first, second])]);
    expect(only(results)).toEqual({ kind: 'conflict', actualVersion: 0 });
  });

  it('of many streams tells each whether it was written now or before', async () => {
    const appends = ['mixed-a', 'mixed-b', 'mixed-c'].map((stream) => anAppend(stream, NO_STREAM));
    await log().append(appends.slice(1, 2));
    const results = await log().append(appends);
    expect(results.map((result: AppendResult) => result.kind === 'appended' && result.repeated)).toEqual([
      false,
      true,
      false,
    ]);
  });
}
