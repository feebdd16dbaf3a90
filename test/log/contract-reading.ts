import { expect, it } from 'vitest';
import { type JsonObject, NO_STREAM, type Page, type RecordedEvent } from '#log/port';
import { logForGroup, type OpenLog } from './contract.ts';
import { anAppend, anEvent, placeOf, saying, written } from './events.ts';

export function readingContract(open: OpenLog): void {
  const log = logForGroup(open);

  async function versions(stream: string, options?: Parameters<ReturnType<typeof log>['readStream']>[1]) {
    return (await log().readStream(stream, options)).map(({ version }) => version);
  }

  it('gives a stream forwards, backwards, from a version and up to a limit', async () => {
    await log().append([
      anAppend(
        'five',
        NO_STREAM,
        Array.from({ length: 5 }, () => anEvent()),
      ),
    ]);
    expect(await versions('five')).toEqual([0, 1, 2, 3, 4]);
    expect(await versions('five', { from: 3 })).toEqual([3, 4]);
    expect(await versions('five', { from: 1, limit: 2 })).toEqual([1, 2]);
    expect(await versions('five', { from: 5 })).toEqual([]);
    expect(await versions('five', { direction: 'backwards' })).toEqual([4, 3, 2, 1, 0]);
    expect(await versions('five', { direction: 'backwards', limit: 1 })).toEqual([4]);
    expect(await versions('five', { direction: 'backwards', from: 2, limit: 2 })).toEqual([2, 1]);
  });

  it('gives an empty list for a stream that does not exist', async () => {
    expect(await log().readStream('nowhere')).toEqual([]);
  });

  it('gives every field as it was written', async () => {
    const event = anEvent({
      metadata: {
        schema_version: 3,
        actor: 'key:ops',
        request_id: 'r-1',
        $correlationId: 'c',
        traceparent: '00-a-b-01',
      },
      mark: { status: 'pending', fencingToken: 0 },
    });
    const { position } = written(await log().append([anAppend('fields', NO_STREAM, [event])]));
    expect(await log().readStream('fields')).toEqual([{ ...event, stream: 'fields', version: 0, position }]);
  });

  it('leaves the mark out where there was none', async () => {
    await log().append([anAppend('unmarked', NO_STREAM)]);
    expect((await log().readStream('unmarked'))[0]).not.toHaveProperty('mark');
  });

  it('keeps instants to the millisecond', async () => {
    const instants = [0, 1, 999, 1_764_504_005_123, 4_102_444_799_999, 253_402_300_799_999];
    await log().append([
      anAppend(
        'instants',
        NO_STREAM,
        instants.map((recordedAt) => anEvent({ recordedAt })),
      ),
    ]);
    expect((await log().readStream('instants')).map(({ recordedAt }) => recordedAt)).toEqual(instants);
  });

  it('keeps JSON exactly', async () => {
    const data = JSON.parse(`{"z":1,"a":[1e300,-1.5,5e-324,0.1,9007199254740991,true,false,null,[]],"":"empty key",
      "unicode":"žluťoučký 🐎 \\u0000 \\ud800 \\u2028","nested":{"b":{"a":[{"":{}}]}},"quotes":"\\"\\\\\\n{}','",
      "__proto__":{"polluted":true},"constructor":1,"2":"two","1":"one"}`) as JsonObject;
    await log().append([anAppend('json', NO_STREAM, [saying(data)])]);
    const [event] = await log().readStream('json');
    expect(JSON.stringify(event?.data)).toBe(JSON.stringify(data));
    expect({}).not.toHaveProperty('polluted');
  });

  it('gives several streams in one call, absent ones empty', async () => {
    await log().append([anAppend('s-1', NO_STREAM, [anEvent(), anEvent()]), anAppend('s-2', NO_STREAM)]);
    const found = await log().readStreams(['s-2', 's-absent', 's-1', 's-2']);
    expect([...found].map(([stream, events]) => [stream, events.map(({ version }) => version)])).toEqual([
      ['s-2', [0]],
      ['s-absent', []],
      ['s-1', [0, 1]],
    ]);
  });

  for (const size of [1, 10, 500]) {
    it(`walks all events in order, in pages of ${size}, each stream in its own order`, async () => {
      await Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          log().append([
            anAppend(`walk-${size}-${n}`, NO_STREAM, [anEvent(), anEvent()]),
            anAppend(`walk-${size}-${n}`, 1),
          ]),
        ),
      );
      const events: RecordedEvent[] = [];
      let page: Page = await log().readAll(null, size);
      for (; page.events.length > 0; page = await log().readAll(page.next, size)) {
        expect(page.events.length).toBeLessThanOrEqual(size);
        expect(page.next).toBe(page.events.at(-1)?.position);
        events.push(...page.events);
      }
      expect(page.next).toBe(await log().head());
      const positions = events.map(({ position }) => position);
      expect(positions).toEqual([...new Set(positions)].sort());
      for (let n = 0; n < 30; n += 1) {
        const places = events.filter(({ stream }) => stream === `walk-${size}-${n}`).map(placeOf);
        expect(places).toEqual([0, 1, 2].map((version) => `walk-${size}-${n}@${version}`));
      }
    });
  }
}
