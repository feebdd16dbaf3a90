import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppendRefused, type AppendResult, type EventLog, LogUnavailable, NO_STREAM } from '#log/port';
import { openPostgresLog } from '#log/postgres/store';
import { openPool } from '#runtime/postgres/pool';
import { until } from '../support/until.ts';
import { anAppend, anEvent, only, saying } from './events.ts';
import { closeGate, GATE, passingGate } from './gate.ts';
import { openLogIn, openTestLog, POLL_MS, silent } from './postgres-log.ts';

let opened: Awaited<ReturnType<typeof openTestLog>>;
let log: EventLog;
beforeAll(async () => {
  opened = await openTestLog({ prepare: GATE });
  log = opened.log;
});
afterAll(() => opened.drop());

const illegal = () => anEvent({ mark: { status: 'running', fencingToken: 1 } });

/** Transactions that committed in the test's database. */
async function commits(): Promise<number> {
  const { rows } = await opened.database.pool.query<{ count: string }>(`SELECT count(DISTINCT xmin::text) FROM events`);
  return Number(rows[0]?.count);
}

describe('postgres: group append', () => {
  it('commits what one moment brings in one transaction', async () => {
    const before = await commits();
    const calls = Array.from({ length: 200 }, (_, n) => log.append([anAppend(`grouped-${n}`, NO_STREAM)]));
    await Promise.all(calls);
    expect((await commits()) - before).toBe(1);
  });

  it('uses no more than two connections, and takes what waited in one flush', async () => {
    const gate = await closeGate(opened.database);
    const held: Promise<readonly AppendResult[]>[] = [];
    for (const lane of [1, 2]) {
      held.push(log.append([anAppend(`lane-${lane}`, NO_STREAM, [passingGate()])]));
      await gate.untilReached(lane);
    }
    const before = await commits();
    const waiting = Array.from({ length: 50 }, (_, n) => log.append([anAppend(`waiting-${n}`, NO_STREAM)]));
    expect(await gate.untilReached(2)).toHaveLength(2);
    expect(await log.readStream('waiting-0')).toEqual([]);
    await gate.open();
    await Promise.all([...held, ...waiting]);
    expect((await commits()) - before).toBe(3);
  });

  it('refuses one bad append among a hundred good ones, alone', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 101 }, (_, n) =>
        log.append([anAppend(`poisoned-${n}`, NO_STREAM, [n === 37 ? illegal() : anEvent()])]),
      ),
    );
    const refused = outcomes.flatMap((outcome, n) =>
      outcome.status === 'rejected' ? [{ n, error: outcome.reason }] : [],
    );
    expect(refused).toHaveLength(1);
    expect(refused[0]?.n).toBe(37);
    expect(refused[0]?.error).toBeInstanceOf(AppendRefused);
    expect(refused[0]?.error.cause.constraint).toBe('events_legal_move');
    const streams = await log.readStreams(Array.from({ length: 101 }, (_, n) => `poisoned-${n}`));
    expect([...streams.values()].filter((events) => events.length === 1)).toHaveLength(100);
  });

  it('tells the other results of a call in which one stream was refused', async () => {
    await log.append([anAppend('call-1', NO_STREAM)]);
    const call = log.append([
      anAppend('call-0', NO_STREAM),
      anAppend('call-1', NO_STREAM),
      anAppend('call-2', NO_STREAM, [illegal()]),
    ]);
    const error = await call.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AppendRefused);
    expect(error).toMatchObject({
      stream: 'call-2',
      results: [{ kind: 'appended', version: 0 }, { kind: 'conflict', actualVersion: 0 }, null],
    });
  });

  it('refuses appends that belong together as a whole when one is bad', async () => {
    const call = log.appendAtomically?.([anAppend('whole-0', NO_STREAM), anAppend('whole-1', NO_STREAM, [illegal()])]);
    await expect(call).rejects.toThrow(AppendRefused);
    expect(await log.readStream('whole-0')).toEqual([]);
  });

  it.each([
    ['an id that is no UUID', anEvent({ id: 'not a uuid' })],
    ['a NUL in a name', anEvent({ type: 'a\u0000b' })],
    ['a mark that is none', anEvent({ mark: { status: 'lost', fencingToken: 0 } })],
    ['a fencing token no table can hold', anEvent({ mark: { status: 'pending', fencingToken: 2 ** 40 } })],
  ])('refuses %s, and nobody beside it', async (_, event) => {
    const [good, bad] = [randomUUID(), randomUUID()];
    const calls = [log.append([anAppend(good, NO_STREAM)]), log.append([anAppend(bad, NO_STREAM, [event])])];
    const [first, second] = await Promise.allSettled(calls);
    expect(first?.status).toBe('fulfilled');
    expect(second).toMatchObject({ status: 'rejected', reason: { name: 'AppendRefused', stream: bad } });
  });

  it('throws at data that are no JSON before anything is sent', async () => {
    const data = { big: 1n } as never;
    await expect(log.append([anAppend('no-json', NO_STREAM, [saying(data)])])).rejects.toThrow(TypeError);
    expect(only(await log.append([anAppend('no-json', NO_STREAM)]))).toMatchObject({ version: 0 });
  });

  it('splits what is larger than a flush, and keeps every result in its place', async () => {
    const appends = Array.from({ length: 2500 }, (_, n) => anAppend(`large-${n}`, n % 10 === 0 ? 5 : NO_STREAM));
    const results = await log.append(appends);
    expect(results.map(({ kind }) => kind)).toEqual(appends.map((_, n) => (n % 10 === 0 ? 'conflict' : 'appended')));
    const big = Array.from({ length: 30 }, (_, n) =>
      anAppend(`big-${n}`, NO_STREAM, [saying({ text: 'x'.repeat(250_000) })]),
    );
    expect((await log.append(big)).every(({ kind }) => kind === 'appended')).toBe(true);
  });

  it('turns callers away when too much waits, and takes them again afterwards', async () => {
    const gate = await closeGate(opened.database);
    const held: Promise<readonly AppendResult[]>[] = [];
    for (const lane of [1, 2]) {
      held.push(log.append([anAppend(`full-${lane}`, NO_STREAM, [passingGate()])]));
      await gate.untilReached(lane);
    }
    const fill = Array.from({ length: 20_000 }, (_, n) => anAppend(`fill-${n}`, NO_STREAM));
    const filling = log.append(fill);
    await expect(log.append([anAppend('one-more', NO_STREAM)])).rejects.toThrow(LogUnavailable);
    await gate.open();
    await Promise.all([...held, filling]);
    expect(only(await log.append([anAppend('one-more', NO_STREAM)]))).toMatchObject({ kind: 'appended' });
  });

  it('lets appends under way end when the log is closed, and takes no more', async () => {
    const own = await openLogIn(opened.database);
    const last = own.append([anAppend('last', NO_STREAM)]);
    const closed = own.close();
    await expect(own.append([anAppend('after', NO_STREAM)])).rejects.toThrow(LogUnavailable);
    await closed;
    expect(only(await last)).toMatchObject({ kind: 'appended' });
  });
});

describe('postgres: two processes that write the same streams', () => {
  it('in opposite order do not deadlock: the second waits for the first, then is told', async () => {
    const other = await openLogIn(opened.database);
    const gate = await closeGate(opened.database);
    const first = log.append([anAppend('cross-a', NO_STREAM), anAppend('cross-b', NO_STREAM, [passingGate()])]);
    await gate.untilReached();
    const second = other.append([anAppend('cross-b', NO_STREAM), anAppend('cross-a', NO_STREAM)]);
    await until('the second waits for the first', async () => {
      const { rows } = await opened.database.pool.query(
        `SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
         WHERE a.datname = current_database() AND l.locktype = 'transactionid' AND NOT l.granted`,
      );
      return rows.length > 0;
    });
    await gate.open();
    expect((await first).map(({ kind }) => kind)).toEqual(['appended', 'appended']);
    expect((await second).map(({ kind }) => kind)).toEqual(['conflict', 'conflict']);
    expect(await deadlocks()).toBe(0);
    await other.close();
  });

  it('over and over share the wins, one for each stream, and no append is torn', async () => {
    const other = await openLogIn(opened.database);
    for (let round = 0; round < 10; round += 1) {
      const names = Array.from({ length: 40 }, (_, n) => `shared-${round}-${n}`);
      const three = names.map((name) =>
        anAppend(
          name,
          NO_STREAM,
          ['a', 'b', 'c'].map((part) => saying({ part })),
        ),
      );
      const one = names.toReversed().map((name) => anAppend(name, NO_STREAM, [saying({ part: 'x' })]));
      const [mine, theirs] = await Promise.all([log.append(three), other.append(one)]);
      const streams = await log.readStreams(names);
      const found = names.map((name) => (streams.get(name) ?? []).map(({ data }) => data.part).join(''));
      const told = names.map((_, n) => {
        const [abc, x] = [mine[n]?.kind, theirs.toReversed()[n]?.kind];
        return abc === 'appended' && x === 'conflict'
          ? 'abc'
          : abc === 'conflict' && x === 'appended'
            ? 'x'
            : `${abc} ${x}`;
      });
      expect(found).toEqual(told);
    }
    expect(await deadlocks()).toBe(0);
    await other.close();
  });

  it('give no version a lower position than the version before it has', async () => {
    await log.append([anAppend('inverted', NO_STREAM)]);
    // A stranger keeps everybody from the table while it appends version 1, and a writer that guesses right waits to
    // append version 2. Whatever it did before it had to wait must not count.
    const stranger = await opened.database.pool.connect();
    await stranger.query('BEGIN');
    await stranger.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    const guess = log.append([anAppend('inverted', 1)]);
    await until('the guess waits for the table', async () => {
      const { rows } = await opened.database.pool.query(
        `SELECT FROM pg_locks WHERE relation = 'events'::regclass AND NOT granted`,
      );
      return rows.length > 0;
    });
    await stranger.query(
      `SELECT append_events('{1}', '{1}', '{0}', '{inverted}', '{1}', ARRAY[gen_random_uuid()], '{T}', '{1}', '{NULL}', '{NULL}',
         '{0}', '{"{}"}', '{"{}"}')`,
    );
    await stranger.query('COMMIT');
    stranger.release();
    expect(only(await guess)).toMatchObject({ kind: 'appended', version: 2 });
    const positions = (await log.readStream('inverted')).map(({ position }) => position);
    expect(positions).toEqual(positions.toSorted());
  });
});

async function deadlocks(): Promise<number> {
  const { rows } = await opened.database.pool.query<{ deadlocks: string }>(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(rows[0]?.deadlocks);
}

describe('postgres: a table that fills fast and was never analyzed', () => {
  it('is appended to and read by its indexes alone', async () => {
    const { database, drop } = await openTestLog({ prepare: 'ALTER TABLE events SET (autovacuum_enabled = off)' });
    const pool = openPool({ connectionString: database.connectionString, schema: 'holdfast', max: 2, name: 'filling' });
    const filling = await openPostgresLog({ pool, logger: silent, pollMs: POLL_MS });
    for (let round = 0; round < 20; round += 1) {
      const names = Array.from({ length: 500 }, (_, n) => `job-${round}-${n}`);
      await filling.append(names.map((name) => anAppend(name, NO_STREAM)));
      await filling.append(names.map((name) => anAppend(name, 0)));
      await filling.append(names.map((name) => anAppend(name, 0)));
      await filling.readStreams(names.slice(0, 100));
      await filling.readStream('job-0-7', { direction: 'backwards', limit: 1 });
      await filling.readAll(await filling.head(), 100);
    }
    await filling.close();
    // A backend hands in its counters when it ends.
    await pool.end();
    const counters = await until('the counters have arrived', async () => {
      const { rows } = await database.pool.query<{ inserted: number; seq_scan: number; read: number }>(
        `SELECT n_tup_ins::int AS inserted, seq_scan::int,
           (SELECT sum(idx_tup_read)::int FROM pg_stat_user_indexes WHERE relname = 'events') AS read
         FROM pg_stat_user_tables WHERE relname = 'events'`,
      );
      return rows[0]?.inserted === 20_000 && rows[0];
    });
    expect(counters.seq_scan).toBe(0);
    // A handful of index entries per append, not a share of the table: 30,000 appends, some 3,000 events read back.
    expect(counters.read).toBeLessThan(300_000);
    await drop();
  });
});
