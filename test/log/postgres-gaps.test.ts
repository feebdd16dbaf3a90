import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppendRefused, type EventLog, NO_STREAM, type Position, type RecordedEvent } from '#log/port';
import { until } from '../support/until.ts';
import { follow } from './contract-subscription.ts';
import { anAppend, anEvent } from './events.ts';
import { closeGate, failingAtGate, GATE, passingGate } from './gate.ts';
import { openLogIn, openTestLog } from './postgres-log.ts';

let opened: Awaited<ReturnType<typeof openTestLog>>;
let log: EventLog;

beforeAll(async () => {
  opened = await openTestLog({ prepare: GATE });
  log = opened.log;
});
afterAll(() => opened.drop());

let streams = 0;
async function appendEvents(count: number): Promise<void> {
  const appends = Array.from({ length: count }, () => {
    streams += 1;
    return anAppend(`quick-${streams}`, NO_STREAM);
  });
  if (count > 0) await log.append(appends);
}

async function readToEnd(after: Position, pageSize: number): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (let next = after; ; ) {
    const page = await log.readAll(next, pageSize);
    if (page.events.length === 0) return events;
    events.push(...page.events);
    next = page.next;
  }
}

async function recordedSince(after: Position): Promise<string[]> {
  const { rows } = await opened.database.pool.query<{ id: string }>(
    'SELECT id FROM events WHERE position > $1 ORDER BY position',
    [Number.parseInt(after.slice(8), 16)],
  );
  return rows.map(({ id }) => id);
}

const ids = (events: readonly RecordedEvent[]) => events.map(({ id }) => id);

describe('postgres: an append that ends late', () => {
  for (const pageSize of [1, 10, 500]) {
    const places = { first: 0, middle: Math.floor(pageSize / 2), last: pageSize - 1 };
    for (const [place, eventsBefore] of Object.entries(places)) {
      for (const end of ['commit', 'rollback'] as const) {
        it(`is not stepped over: ${place} of a page of ${pageSize}, ended by ${end}`, async () => {
          const start = await log.head();
          const gate = await closeGate(opened.database);
          await appendEvents(eventsBefore);
          const stream = `late-${pageSize}-${place}-${end}`;
          const event = end === 'commit' ? passingGate() : failingAtGate();
          const late = log.append([anAppend(stream, NO_STREAM, [event])]);
          late.catch(() => undefined);
          await gate.untilReached();
          await appendEvents(pageSize + 3);

          const reader = follow(log, { after: start, pageSize });
          await until('what lies before it', () => reader.events.length === eventsBefore);
          expect(await readToEnd(start, pageSize)).toHaveLength(eventsBefore);
          expect(reader.events).toHaveLength(eventsBefore);

          await gate.open();
          if (end === 'commit') await late;
          else await expect(late).rejects.toThrow(AppendRefused);
          const expected = await recordedSince(start);
          expect(expected).toHaveLength(eventsBefore + pageSize + 3 + (end === 'commit' ? 1 : 0));
          await until('all of them', () => reader.events.length >= expected.length);
          await reader.stop();
          expect(ids(reader.events)).toEqual(expected);
          expect(ids(await readToEnd(start, pageSize))).toEqual(expected);
        });
      }
    }
  }

  it('keeps its position good for reading from, and for checking, while readers are held back before it', async () => {
    const gate = await closeGate(opened.database);
    const start = await log.head();
    const late = log.append([anAppend('late-checked', NO_STREAM, [passingGate()])]);
    await gate.untilReached();
    const [later] = await log.append([anAppend('early-checked', NO_STREAM)]);
    if (later?.kind !== 'appended') throw new Error('the stream was new');
    expect(await log.head()).toBe(start);
    expect(await log.checkPosition(later.position)).toBe(later.position);
    expect(await log.readAll(later.position, 10)).toEqual({ events: [], next: later.position });
    await gate.open();
    await late;
    expect(await log.head()).toBe(later.position);
  });
});

describe('postgres: many writers that commit and roll back in any order', () => {
  it('are read whole, once, and each stream in order, while they write', async () => {
    await opened.database.pool.query(`
      CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_sleep(random() * 0.01);
        IF NEW.data ->> 'dawdles' = 'fails' THEN RAISE EXCEPTION 'refused'; END IF;
        RETURN NEW;
      END
      $$;
      CREATE TRIGGER dawdle AFTER INSERT ON events FOR EACH ROW
        WHEN ((NEW.data ->> 'dawdles') IS NOT NULL) EXECUTE FUNCTION dawdle();`);
    const start = await log.head();
    const readers = [1, 10, 500].map((pageSize) => follow(log, { after: start, pageSize }));
    const writers = await Promise.all([1, 2, 3].map(() => openLogIn(opened.database)));
    await Promise.all(writers.flatMap((writer, w) => [0, 1, 2, 3].map((n) => writeSlowly(writer, `storm-${w}-${n}`))));
    await Promise.all(writers.map((writer) => writer.close()));
    const expected = await recordedSince(start);
    expect(expected).toHaveLength(12 * 2 * ROUNDS);
    for (const reader of readers) {
      await until('all events', () => reader.events.length >= expected.length);
      await reader.stop();
      expect(ids(reader.events)).toEqual(expected);
      for (const stream of new Set(reader.events.map((event) => event.stream))) {
        const versions = reader.events.filter((event) => event.stream === stream).map(({ version }) => version);
        expect(versions).toEqual(Array.from({ length: 2 * ROUNDS }, (_, version) => version));
      }
    }
  });
});

const ROUNDS = 8;
async function writeSlowly(writer: EventLog, stream: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const version = round * 2 - 1;
    const fails = anEvent({ data: { dawdles: 'fails' } });
    await expect(writer.append([anAppend(stream, version, [fails])])).rejects.toThrow(AppendRefused);
    const dawdles = [0, 1].map(() => anEvent({ data: { dawdles: 'passes' } }));
    await writer.append([anAppend(stream, version, dawdles)]);
  }
}
