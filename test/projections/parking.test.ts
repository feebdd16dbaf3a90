import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#log/port';
import { dueJobsProjection } from '#projections/due-jobs/projection';
import { jobsProjection } from '#projections/jobs/projection';
import { rebuildOffline } from '#projections/rebuild/offline';
import { projectionViews } from '#projections/status/projection-queries';
import { JobHistory } from './histories.ts';
import { START } from './random-histories.ts';
import { appendAll, catchUp, openRig, type Rig } from './rig.ts';

const streamPrefix = '';

/** Bad events, each as somebody who bypasses the domain could write it at version 1 of a pending job. */
const BAD: readonly {
  readonly name: string;
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: JsonObject;
}[] = [
  { name: 'an unknown type', type: 'Exploded', schemaVersion: 1, data: {} },
  { name: 'a missing field', type: 'Claimed', schemaVersion: 1, data: { worker_id: 'w' } },
  { name: 'a newer schema version', type: 'Cancelled', schemaVersion: 2, data: { reason: null } },
  { name: 'a wrong type', type: 'Cancelled', schemaVersion: 1, data: { reason: 7 } },
  { name: 'an illegal move', type: 'Succeeded', schemaVersion: 1, data: { result: 1 } },
];

describe('an event that cannot be applied', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await openRig({ hook: false });
  });
  afterEach(() => rig.close());

  const parkedStreams = async (projection: string) =>
    (await rig.pool.query('SELECT stream, version, error FROM parked_streams WHERE projection = $1', [projection]))
      .rows;

  async function writeBad(job: JobHistory, bad: (typeof BAD)[number]): Promise<void> {
    const metadata = { schema_version: bad.schemaVersion, actor: 'test' };
    const mark = { status: 'pending', fencingToken: 0 };
    for (const expectedVersion of [0, 1]) {
      const event = { id: randomUUID(), type: bad.type, data: bad.data, metadata, recordedAt: START, mark };
      await rig.log.append([{ stream: job.stream, expectedVersion, events: [event] }]);
    }
  }

  it.each(BAD)('parks its own stream and no other: $name', async (bad) => {
    const [before, damaged, after] = [new JobHistory(), new JobHistory(), new JobHistory()];
    await appendAll(rig.log, [before.submit({}, START), damaged.submit({}, START)]);
    await writeBad(damaged, bad);
    await appendAll(rig.log, [before.claim(START), after.submit({}, START)]);
    const projections = [jobsProjection({ streamPrefix }), dueJobsProjection({ streamPrefix })];
    await catchUp(rig, projections);
    for (const { name } of projections) {
      expect(await parkedStreams(name)).toEqual([
        { stream: damaged.stream, version: 1, error: expect.stringContaining(bad.type) },
      ]);
    }
    const { rows } = await rig.pool.query('SELECT id, version FROM jobs ORDER BY created_at, version DESC');
    expect(rows).toHaveLength(3);
    expect(rows).toContainEqual({ id: damaged.id, version: 0 });
    expect(rows).toContainEqual({ id: before.id, version: 1 });
    const views = await projectionViews({ ...rig, names: ['jobs'], writtenByAppend: [] }, START);
    expect(views[0]).toMatchObject({ name: 'jobs', parked_streams: 1, lag_events: 0 });
    const dump = async () => (await rig.pool.query('SELECT * FROM jobs ORDER BY id')).rows;
    const live = await dump();
    await rebuildOffline({ ...rig, projection: projections[0] as (typeof projections)[0] });
    expect(await dump()).toEqual(live);
    expect(await parkedStreams('jobs')).toHaveLength(1);
  });

  it('ignores fields that it does not know', async () => {
    const job = new JobHistory();
    const submit = job.submit({}, START);
    const events = submit.events.map((event) => ({ ...event, data: { ...event.data, from_the_future: { a: 1 } } }));
    await rig.log.append([{ ...submit, events }]);
    await catchUp(rig, [jobsProjection({ streamPrefix })]);
    expect(await parkedStreams('jobs')).toEqual([]);
    expect((await rig.pool.query('SELECT FROM jobs')).rowCount).toBe(1);
  });

  it('parks a stream whose row went missing instead of guessing what was in it', async () => {
    const [job, other] = [new JobHistory(), new JobHistory()];
    await appendAll(rig.log, [job.submit({}, START), other.submit({}, START)]);
    await catchUp(rig, [jobsProjection({ streamPrefix })]);
    await rig.pool.query('DELETE FROM jobs WHERE id = $1', [job.id]);
    await appendAll(rig.log, [job.claim(START), other.claim(START)]);
    await catchUp(rig, [jobsProjection({ streamPrefix })]);
    expect(await parkedStreams('jobs')).toEqual([
      { stream: job.stream, version: 1, error: expect.stringContaining('nothing') },
    ]);
    expect((await rig.pool.query('SELECT id, version FROM jobs')).rows).toEqual([{ id: other.id, version: 1 }]);
  });

  it('finds the stream whose data the database refuses, within a batch of many', async () => {
    await rig.pool.query(`ALTER TABLE jobs ADD CHECK (type <> 'poison' OR version = 0)`);
    const good = Array.from({ length: 30 }, () => new JobHistory());
    const bad = new JobHistory();
    await appendAll(
      rig.log,
      good.map((job) => job.submit({}, START)),
    );
    await appendAll(rig.log, [
      bad.submit({ type: 'poison' }, START),
      bad.claim(START),
      ...good.map((job) => job.claim(START)),
    ]);
    await catchUp(rig, [jobsProjection({ streamPrefix })]);
    expect(await parkedStreams('jobs')).toEqual([
      { stream: bad.stream, version: 1, error: expect.stringContaining('check') },
    ]);
    const { rows } = await rig.pool.query(
      'SELECT status, count FROM queue_stats WHERE count <> 0 ORDER BY queue, status',
    );
    expect(rows).toEqual([
      { status: 'pending', count: '1' },
      { status: 'running', count: '30' },
    ]);
    expect((await rig.pool.query('SELECT FROM jobs WHERE version = 1')).rowCount).toBe(30);
    expect((await rig.pool.query('SELECT version FROM jobs WHERE id = $1', [bad.id])).rows).toEqual([{ version: 0 }]);
  });
});
