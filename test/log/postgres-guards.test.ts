import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppendRefused, type JobMark, NO_STREAM } from '#log/port';
import { anAppend, anEvent } from './events.ts';
import { openTestLog } from './postgres-log.ts';

let opened: Awaited<ReturnType<typeof openTestLog>>;
beforeAll(async () => {
  opened = await openTestLog();
});
afterAll(() => opened.drop());

/** As somebody would with psql: the table itself, none of our functions, another search_path. */
async function insertDirectly(stream: string, version: number, mark: JobMark | null): Promise<void> {
  await opened.database.pool.query(
    `SET LOCAL search_path = public; INSERT INTO holdfast.events (position, stream, version, id, type, schema_version, status,
       fencing_token, recorded_at, data, metadata)
     VALUES (nextval('holdfast.event_position'), '${stream}', ${version}, '${randomUUID()}', 'T', 1,
       ${mark === null ? 'NULL, NULL' : `'${mark.status}', ${mark.fencingToken}`}, now(), '{}', '{}')`,
  );
}

describe('postgres: the events table', () => {
  beforeAll(async () => {
    await opened.log.append([anAppend('kept', NO_STREAM)]);
  });

  for (const statement of [
    `UPDATE events SET type = 'Other'`,
    'UPDATE events SET version = 7 WHERE false',
    'DELETE FROM events',
    'TRUNCATE events',
    'UPDATE log_identity SET id = gen_random_uuid()',
    'DELETE FROM log_identity',
    'TRUNCATE log_identity',
  ]) {
    it(`refuses ${statement}`, async () => {
      await expect(opened.database.pool.query(statement)).rejects.toThrow(/append-only/);
      expect(await opened.log.readStream('kept')).toHaveLength(1);
    });
  }

  it.each([
    ['off', 'on'],
    ['remote_apply', 'remote_apply'],
  ])('commits an append durably where the session says synchronous_commit = %s', async (told, obeyed) => {
    const client = await opened.database.pool.connect();
    try {
      await client.query(`BEGIN; SET LOCAL synchronous_commit = ${told}`);
      await client.query(
        `SELECT FROM append_events('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')`,
      );
      const { rows } = await client.query<{ setting: string }>(
        `SELECT current_setting('synchronous_commit') AS setting`,
      );
      expect(rows).toEqual([{ setting: obeyed }]);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  it('is reached by functions that never have their plans compiled, which before PostgreSQL 18 would happen at every call', async () => {
    const { rows } = await opened.database.pool.query<{ name: string; jit_is_off: boolean }>(
      `SELECT proname AS name, 'jit=off' = ANY (proconfig) AS jit_is_off FROM pg_proc
       WHERE pronamespace = 'holdfast'::regnamespace AND 'enable_seqscan=off' = ANY (proconfig)`,
    );
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.filter(({ jit_is_off }) => !jit_is_off)).toEqual([]);
  });

  it('refuses a version twice', async () => {
    await expect(insertDirectly('kept', 0, null)).rejects.toThrow(/events_stream_version/);
  });

  it('refuses a hole in a stream', async () => {
    await expect(insertDirectly('kept', 2, null)).rejects.toThrow(/illegal event at version 2 of kept/);
    await expect(insertDirectly('holed', 1, null)).rejects.toThrow(/illegal event/);
  });

  it('is read in read committed transactions only, since each look needs a snapshot of its own', async () => {
    const client = await opened.database.pool.connect();
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await expect(client.query('SELECT * FROM read_events(0, 1)')).rejects.toThrow(/read committed/);
    await client.query('ROLLBACK');
    client.release();
  });
});

const STATUSES = ['pending', 'running', 'succeeded', 'dead', 'cancelled'];
/** The same status again is an event that does not move the job. */
const LEGAL = new Set([
  ...['pending pending', 'pending running', 'pending cancelled'],
  ...['running running', 'running succeeded', 'running pending', 'running dead', 'running cancelled'],
  ...['dead dead', 'dead pending', 'succeeded succeeded', 'cancelled cancelled'],
]);
const WAY_TO: Record<string, readonly JobMark[]> = {
  pending: [{ status: 'pending', fencingToken: 0 }],
  running: [
    { status: 'pending', fencingToken: 0 },
    { status: 'running', fencingToken: 1 },
  ],
};
for (const final of ['succeeded', 'dead', 'cancelled']) {
  WAY_TO[final] = [...(WAY_TO.running ?? []), { status: final, fencingToken: 1 }];
}

/** A stream whose job stands at a status, by legal moves, and the token it has there. */
async function jobAt(status: string): Promise<{ stream: string; version: number; token: number }> {
  const way = WAY_TO[status] ?? [];
  const stream = `job-${randomUUID()}`;
  await opened.log.append([
    anAppend(
      stream,
      NO_STREAM,
      way.map((mark) => anEvent({ mark })),
    ),
  ]);
  return { stream, version: way.length - 1, token: way.at(-1)?.fencingToken ?? 0 };
}

describe('postgres: a move of a job that bypasses the domain', () => {
  for (const before of STATUSES) {
    for (const after of STATUSES) {
      const raise = before === 'pending' && after === 'running' ? 1 : 0;
      const isLegal = LEGAL.has(`${before} ${after}`);
      it(`from ${before} to ${after} is ${isLegal ? 'taken, with the right token only' : 'refused'}`, async () => {
        const { stream, version, token } = await jobAt(before);
        for (const wrong of [token + raise - 1, token + raise + 1]) {
          await expect(insertDirectly(stream, version + 1, { status: after, fencingToken: wrong })).rejects.toThrow();
        }
        const right = insertDirectly(stream, version + 1, { status: after, fencingToken: token + raise });
        if (isLegal) await right;
        else await expect(right).rejects.toThrow(/illegal event/);
        expect(await opened.log.readStream(stream)).toHaveLength(version + (isLegal ? 2 : 1));
      });

      it(`from ${before} to ${after} by an append is ${isLegal ? 'taken, with the right token only' : 'refused'}`, async () => {
        const { stream, version, token } = await jobAt(before);
        const appendWith = (fencingToken: number) =>
          opened.log.append([anAppend(stream, version, [anEvent({ mark: { status: after, fencingToken } })])]);
        for (const wrong of [token + raise - 1, token + raise + 1]) {
          await expect(appendWith(wrong)).rejects.toThrow(AppendRefused);
        }
        if (isLegal) await appendWith(token + raise);
        else await expect(appendWith(token + raise)).rejects.toThrow(AppendRefused);
        expect(await opened.log.readStream(stream)).toHaveLength(version + (isLegal ? 2 : 1));
      });
    }

    it(`from ${before} to no status is refused`, async () => {
      const { stream, version } = await jobAt(before);
      await expect(insertDirectly(stream, version + 1, null)).rejects.toThrow(/illegal event/);
    });
  }

  for (const first of STATUSES) {
    const isLegal = first === 'pending';
    it(`may ${isLegal ? '' : 'not '}begin as ${first}`, async () => {
      const stream = `job-${randomUUID()}`;
      await expect(insertDirectly(stream, 0, { status: first, fencingToken: 1 })).rejects.toThrow(/illegal event/);
      const insert = insertDirectly(stream, 0, { status: first, fencingToken: 0 });
      if (isLegal) await insert;
      else await expect(insert).rejects.toThrow(/illegal event/);
    });
  }

  it('to a status that does not exist is refused, and so is half a mark', async () => {
    const { stream, version } = await jobAt('running');
    await expect(insertDirectly(stream, version + 1, { status: 'lost', fencingToken: 1 })).rejects.toThrow(/check/);
    const half = `INSERT INTO events SELECT nextval('event_position'), recorded_at, gen_random_uuid(), version + 1, NULL,
      schema_version, stream, type, status, data, metadata FROM events WHERE stream = $1 AND version = $2`;
    await expect(opened.database.pool.query(half, [stream, version])).rejects.toThrow(/events_mark_is_whole/);
  });

  it('is refused for a stream that is no job', async () => {
    await opened.log.append([anAppend('queue-a', NO_STREAM)]);
    await expect(insertDirectly('queue-a', 1, { status: 'pending', fencingToken: 0 })).rejects.toThrow(/illegal/);
  });

  it('is judged in the transaction of an append as well, once the append itself is over', async () => {
    const { stream, version } = await jobAt('pending');
    const client = await opened.database.pool.connect();
    await client.query('BEGIN');
    await client.query(
      `SELECT FROM append_events('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')`,
    );
    const leap = `INSERT INTO events SELECT nextval('event_position'), recorded_at, gen_random_uuid(), version + 1,
      fencing_token, schema_version, stream, type, 'succeeded', data, metadata FROM events WHERE stream = $1 AND version = $2`;
    await expect(client.query(leap, [stream, version])).rejects.toThrow(/illegal event/);
    await client.query('ROLLBACK');
    client.release();
  });

  it('is refused also between two events of one append, which then leaves nothing', async () => {
    const stream = `job-${randomUUID()}`;
    const marks = [
      { status: 'pending', fencingToken: 0 },
      { status: 'succeeded', fencingToken: 0 },
    ];
    const events = marks.map((mark) => anEvent({ mark }));
    const refused = opened.log.append([anAppend(stream, NO_STREAM, events)]);
    await expect(refused).rejects.toThrow(AppendRefused);
    expect(await opened.log.readStream(stream)).toEqual([]);
  });
});
