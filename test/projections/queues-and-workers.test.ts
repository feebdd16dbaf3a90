import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#log/port';
import { jobsProjection } from '#projections/jobs/projection';
import { queueViewOf, queueViews } from '#projections/jobs/queue-queries';
import { WorkerMarks } from '#projections/workers/marks';
import { workersProjection } from '#projections/workers/projection';
import { isServed, workerViews } from '#projections/workers/worker-queries';
import { JobHistory } from './histories.ts';
import { START } from './random-histories.ts';
import { appendAll, catchUp, openRig, type Rig } from './rig.ts';

const streamPrefix = '';
const STARTED = { host: 'a', pid: 7, version: '1.0.0', queues: null, types: ['noop'], concurrency: 10 };

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

describe('queues', () => {
  it('show their depth, what is due, and what happened in the last minute', async () => {
    const [done, due, older, later] = Array.from({ length: 4 }, () => new JobHistory()) as [
      JobHistory,
      JobHistory,
      JobHistory,
      JobHistory,
    ];
    await appendAll(rig.log, [
      done.submit({ queue: 'email' }, START),
      due.submit({ queue: 'email' }, START + 2000),
      older.submit({ queue: 'email', delay_seconds: 1 }, START),
      later.submit({ queue: 'email', delay_seconds: 3600 }, START),
      new JobHistory().submit({ queue: 'other', delay_seconds: 3600 }, START - 100_000),
      done.claim(START + 1000),
      done.step({ kind: 'complete', fencingToken: 1, result: null }, START + 2000) ?? fail(),
    ]);
    await catchUp(rig, [jobsProjection({ streamPrefix })]);
    const views = await queueViews(rig.pool, START + 3000);
    expect(views.map((view) => view.name)).toEqual(['email', 'other']);
    expect(views[0]).toEqual({
      ...{ name: 'email', version: -1, paused: false, paused_by: null, pause_reason: null, concurrency: null },
      ...{ concurrency_per_key: null, rate_limit: null, slots_in_use: 0 },
      depth: { pending: 3, running: 0, succeeded: 1, dead: 0, cancelled: 0 },
      due: 2,
      oldest_due_at: new Date(START + 1000).toISOString(),
      oldest_due_seconds: 2,
      rates: { submitted: 0.067, started: 0.017, finished: 0.017 },
    });
    expect(views[1]).toMatchObject({ due: 0, oldest_due_at: null, oldest_due_seconds: null, rates: { submitted: 0 } });
    await rig.dueJobs.pick({ queues: null, types: null, limit: 1, now: START + 3000 });
    expect(await queueViewOf(rig.pool, 'email', START + 3000)).toEqual(views[0]);
    expect((await queueViewOf(rig.pool, 'email', START + 120_000)).rates).toEqual({
      submitted: 0,
      started: 0,
      finished: 0,
    });
  });

  it('that were never used are empty', async () => {
    const view = await queueViewOf(rig.pool, 'unused', START);
    expect(view).toMatchObject({ name: 'unused', due: 0, depth: { pending: 0, running: 0 }, rates: { submitted: 0 } });
  });
});

describe('workers', () => {
  const says = (workerId: string, type: string, data: JsonObject, expectedVersion: number, at: number) =>
    rig.log.append([
      {
        stream: `worker-${workerId}`,
        expectedVersion,
        events: [
          {
            id: randomUUID(),
            type,
            data,
            recordedAt: at,
            metadata: { schema_version: 1, actor: `worker:${workerId}` },
          },
        ],
      },
    ]);
  const statusAt = async (workerId: string, now: number) =>
    (await workerViews(rig.pool, now)).find((worker) => worker.worker_id === workerId)?.status;

  it('appear with what they said of themselves, and are active, quiet, then gone, then forgotten', async () => {
    await says('w1', 'WorkerStarted', STARTED, -1, START);
    await catchUp(rig, [workersProjection({ streamPrefix })]);
    const marks = new WorkerMarks(rig.pool);
    await marks.touchWorkers([{ workerId: 'w1', queues: null, types: ['noop'], at: START + 5000 }]);
    expect(await workerViews(rig.pool, START + 6000)).toEqual([
      {
        ...{ worker_id: 'w1', host: 'a', pid: 7, version: '1.0.0', status: 'active', queues: null, types: ['noop'] },
        ...{ concurrency: 10, running: 0, last_seen_at: new Date(START + 5000).toISOString() },
      },
    ]);
    expect(await statusAt('w1', START + 35_000)).toBe('active');
    expect(await statusAt('w1', START + 35_001)).toBe('quiet');
    expect(await statusAt('w1', START + 305_001)).toBe('gone');
    expect(await statusAt('w1', START + 5000 + 86_400_001)).toBeUndefined();
    await marks.touchWorkers([{ workerId: 'w1', queues: null, types: null, stopping: true, at: START + 400_000 }]);
    expect(await statusAt('w1', START + 400_000)).toBe('stopping');
    await says('w1', 'WorkerStopped', {}, 0, START + 400_500);
    await catchUp(rig, [workersProjection({ streamPrefix })]);
    expect(await statusAt('w1', START + 400_500)).toBe('gone');
    await says('w1', 'WorkerStarted', STARTED, 1, START + 500_000);
    await catchUp(rig, [workersProjection({ streamPrefix })]);
    expect(await statusAt('w1', START + 500_001)).toBe('stopping');
    await marks.touchWorkers([{ workerId: 'w1', queues: null, types: null, at: START + 500_001 }]);
    expect(await statusAt('w1', START + 500_001)).toBe('active');
  });

  it('that only speak REST are known by their calls', async () => {
    const marks = new WorkerMarks(rig.pool);
    await marks.touchWorkers([{ workerId: 'rest', queues: ['a'], types: null, at: START }]);
    await marks.touchWorkers([{ workerId: 'rest', queues: ['a', 'b,"{'], types: null, at: START - 1 }]);
    expect(await workerViews(rig.pool, START)).toEqual([
      {
        ...{
          worker_id: 'rest',
          host: null,
          pid: null,
          version: null,
          status: 'active',
          queues: ['a', 'b,"{'],
          types: null,
        },
        ...{ concurrency: null, running: 0, last_seen_at: new Date(START).toISOString() },
      },
    ]);
    await marks.touchWorkers([]);
  });

  it('tell whether a queue and type is served by anyone alive', async () => {
    const marks = new WorkerMarks(rig.pool);
    const job = { queue: 'a', type: 'x' };
    expect(await isServed(rig.pool, job, START)).toBe(false);
    await marks.touchWorkers([{ workerId: 'w', queues: ['a'], types: ['y'], at: START }]);
    expect(await isServed(rig.pool, job, START)).toBe(false);
    expect(await isServed(rig.pool, { queue: 'a', type: 'y' }, START)).toBe(true);
    await marks.touchWorkers([{ workerId: 'v', queues: null, types: null, at: START }]);
    expect(await isServed(rig.pool, job, START + 30_000)).toBe(true);
    expect(await isServed(rig.pool, job, START + 30_001)).toBe(false);
  });

  it('whose events cannot be read are parked alone', async () => {
    await says('good', 'WorkerStarted', STARTED, -1, START);
    await says('bad', 'WorkerStarted', { host: 'a' }, -1, START);
    await says('stopped', 'WorkerStopped', {}, -1, START);
    await says('bad', 'WorkerStopped', {}, 0, START);
    await catchUp(rig, [workersProjection({ streamPrefix })]);
    expect((await workerViews(rig.pool, START)).map((worker) => worker.worker_id)).toEqual(['good']);
    const { rows } = await rig.pool.query('SELECT stream, version FROM parked_streams ORDER BY stream');
    expect(rows).toEqual([
      { stream: 'worker-bad', version: 0 },
      { stream: 'worker-stopped', version: 0 },
    ]);
  });
});

function fail(): never {
  throw new Error('the domain refused the step');
}
