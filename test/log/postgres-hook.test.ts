import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppendRefused, NO_STREAM } from '#log/port';
import type { AppendHook } from '#log/postgres/hook';
import { until } from '../support/until.ts';
import { anAppend, anEvent, written } from './events.ts';
import { closeGate, GATE } from './gate.ts';
import { openLogIn, openTestLog } from './postgres-log.ts';

/** A table written with the append, as the due table is: a row per written stream, made of what the writer folded. */
const TABLE = `${GATE}
CREATE TABLE written (stream text PRIMARY KEY, first_position bigint, folded text CHECK (folded <> 'bad'));
CREATE FUNCTION mark_written(positions bigint[], streams text[], folded text[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO written AS w (stream, first_position, folded)
  SELECT s.stream, positions[s.n], s.folded FROM unnest(streams, folded) WITH ORDINALITY AS s (stream, folded, n)
  WHERE positions[s.n] > 0
  ON CONFLICT (stream) DO UPDATE SET (first_position, folded) = (excluded.first_position, excluded.folded)
$$;
CREATE FUNCTION pass_gate_by_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(1);
  RETURN NEW;
END
$$;
CREATE TRIGGER gate AFTER INSERT OR UPDATE ON written FOR EACH ROW
  WHEN (NEW.folded = 'gate') EXECUTE FUNCTION pass_gate_by_name();`;

const hook: AppendHook = {
  functionName: 'mark_written',
  parameterTypes: ['text[]', 'text[]'],
  params: (appends) => [appends.map(({ stream }) => stream), appends.map(({ folded }) => folded ?? null)],
};

let opened: Awaited<ReturnType<typeof openTestLog>>;
beforeAll(async () => {
  opened = await openTestLog({ hook, prepare: TABLE });
});
afterAll(() => opened.drop());

async function rowsOf(...streams: string[]) {
  const { rows } = await opened.database.pool.query(
    `SELECT stream, first_position::int, folded FROM written WHERE stream = ANY ($1) ORDER BY 1`,
    [streams],
  );
  return rows;
}

const numberOf = (position: string) => Number.parseInt(position.slice(8), 16);

describe("postgres: the append's hook", () => {
  it('writes a row for each append that was written, with the position of its first event', async () => {
    const append = anAppend('row', NO_STREAM, [anEvent(), anEvent()]);
    written(await opened.log.append([{ ...append, folded: 'state' }]));
    const [first] = await opened.log.readStream('row');
    expect(await rowsOf('row')).toEqual([
      { stream: 'row', first_position: numberOf(first?.position ?? ''), folded: 'state' },
    ]);
  });

  it('writes nothing for a conflict or a repeat, beside others that are written', async () => {
    const [a, b] = [anAppend('beside-a', NO_STREAM), anAppend('beside-b', NO_STREAM)];
    await opened.log.append([
      { ...a, folded: 'first' },
      { ...b, folded: 'first' },
    ]);
    const results = await opened.log.append([
      { ...a, folded: 'repeat' },
      { ...anAppend('beside-b', NO_STREAM), folded: 'conflict' },
      { ...anAppend('beside-c', NO_STREAM), folded: 'new' },
    ]);
    expect(results.map(({ kind }) => kind)).toEqual(['appended', 'conflict', 'appended']);
    expect((await rowsOf('beside-a', 'beside-b', 'beside-c')).map(({ folded }) => folded)).toEqual([
      'first',
      'first',
      'new',
    ]);
  });

  it('writes nothing for the loser of a race that is decided while both are under way', async () => {
    const gate = await closeGate(opened.database);
    const gated = anEvent({ data: { gate: 'passes' } });
    const winner = opened.log.append([{ ...anAppend('raced', NO_STREAM, [anEvent(), gated]), folded: 'winner' }]);
    await gate.untilReached();
    const other = await openLogIn(opened.database, { hook });
    const loser = other.append([{ ...anAppend('raced', NO_STREAM), folded: 'loser' }]);
    await until('the loser waits for the winner', waitsForTransaction);
    await gate.open();
    expect([(await winner)[0]?.kind, (await loser)[0]?.kind]).toEqual(['appended', 'conflict']);
    expect((await rowsOf('raced')).map(({ folded }) => folded)).toEqual(['winner']);
    await other.close();
  });

  it('is committed with the events or not at all', async () => {
    const gate = await closeGate(opened.database);
    const append = opened.log.append([{ ...anAppend('killed', NO_STREAM), folded: 'gate' }]);
    const [first] = await gate.untilReached();
    await opened.database.pool.query('SELECT pg_terminate_backend($1)', [first]);
    await until('it is tried again', async () => (await gate.untilReached())[0] !== first);
    // The first try had written both before it was killed; the second has not committed.
    expect(await opened.log.readStream('killed')).toEqual([]);
    expect(await rowsOf('killed')).toEqual([]);
    await gate.open();
    const { position } = written(await append);
    expect(await opened.log.readStream('killed')).toHaveLength(1);
    expect(await rowsOf('killed')).toMatchObject([{ first_position: numberOf(position) }]);
  });

  it('takes its own append down when its row is refused, and no other', async () => {
    const good = opened.log.append([{ ...anAppend('hook-good', NO_STREAM), folded: 'good' }]);
    const bad = opened.log.append([{ ...anAppend('hook-bad', NO_STREAM), folded: 'bad' }]);
    await expect(bad).rejects.toThrow(AppendRefused);
    written(await good);
    expect(await opened.log.readStream('hook-bad')).toEqual([]);
    expect((await rowsOf('hook-good', 'hook-bad')).map(({ stream }) => stream)).toEqual(['hook-good']);
  });
});

async function waitsForTransaction(): Promise<boolean> {
  const { rows } = await opened.database.pool.query(
    `SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE a.datname = current_database() AND l.locktype = 'transactionid' AND NOT l.granted`,
  );
  return rows.length > 0;
}
