import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '#domain/job/state';
import { dueJobsProjection } from '#projections/due-jobs/projection';
import { jobsProjection } from '#projections/jobs/projection';
import { AS_SENT, jobOfRow, STORED_COLUMNS, type StoredColumns } from '#projections/jobs/stored-row';
import type { Projection } from '#projections/projector/projection';
import { startProjector } from '#projections/projector/projector';
import { until } from '../support/until.ts';
import { JobHistory } from './histories.ts';
import { play, randomHistories, START } from './random-histories.ts';
import { appendAll, catchUp, openRig, type Rig, silent } from './rig.ts';

const streamPrefix = '';

describe('the projector', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await openRig();
  });
  afterEach(() => rig.close());

  it('leads to the rows and counts of a fold of the log, whatever happened to the jobs', async () => {
    const seed = Date.now();
    console.info(`random histories with seed ${seed}`);
    for (const steps of fc.sample(randomHistories, { seed, numRuns: 4 })) {
      const { jobs, appends } = play(steps);
      await appendAll(rig.log, appends);
      await catchUp(rig, [jobsProjection({ streamPrefix })], { pageSize: 37 });
      for (const { job, id } of jobs) if (job) await expectRow(rig, id, job);
    }
    const { rows } = await rig.pool.query(
      'SELECT queue, status, count FROM queue_stats WHERE count <> 0 ORDER BY queue, status',
    );
    const counted = await rig.pool.query('SELECT queue, status, count(*) FROM jobs GROUP BY 1, 2 ORDER BY 1, 2');
    expect(rows).toEqual(counted.rows);
    expect(rows.length).toBeGreaterThan(5);
  });

  it('fills due_jobs as the append does, from the same histories', async () => {
    const seed = Date.now();
    console.info(`random histories with seed ${seed}`);
    for (const steps of fc.sample(randomHistories, { seed, numRuns: 3 })) await appendAll(rig.log, play(steps).appends);
    const written = await dueRows(rig);
    await rig.pool.query('TRUNCATE due_jobs');
    await catchUp(rig, [dueJobsProjection({ streamPrefix })], { pageSize: 41 });
    expect(await dueRows(rig)).toEqual(written);
    expect(written.length).toBeGreaterThan(0);
  });

  it('goes on where it stopped, and applies nothing twice', async () => {
    const job = new JobHistory();
    await appendAll(rig.log, [job.submit({}, START), job.claim(START)]);
    await catchUp(rig, [jobsProjection({ streamPrefix })]);
    const done = job.step({ kind: 'complete', fencingToken: 1, result: 7 }, START);
    await appendAll(rig.log, done ? [done] : []);
    await catchUp(rig, [jobsProjection({ streamPrefix })]);
    await expectRow(rig, job.id, job.job as Job);
    const { rows } = await rig.pool.query('SELECT status, count FROM queue_stats WHERE count <> 0');
    expect(rows).toEqual([{ status: 'succeeded', count: '1' }]);
    const activity = await rig.pool.query('SELECT submitted, started, finished FROM queue_activity');
    expect(activity.rows).toEqual([{ submitted: 1, started: 1, finished: 1 }]);
  });

  it('takes a row that vanished under its hands for what it is, and goes by the table again', async () => {
    const [touched, other] = [new JobHistory(), new JobHistory()];
    await appendAll(rig.log, [touched.submit({}, START), other.submit({}, START)]);
    const projector = startProjector({
      ...rig,
      logger: silent,
      ownerId: 'p',
      projections: [jobsProjection({ streamPrefix })],
    });
    const versions = async () =>
      (await rig.pool.query<{ id: string; version: number }>('SELECT id, version FROM jobs')).rows;
    await until('both rows are there', async () => (await versions()).length === 2);
    await rig.pool.query('DELETE FROM jobs WHERE id = $1', [touched.id]);
    await appendAll(rig.log, [touched.claim(START), other.claim(START)]);
    // It remembered both jobs; the update of the missing row ends that memory, and the stream is parked as ever.
    await until('the other job is up to date', async () => (await versions()).some(({ version }) => version === 1));
    expect(await versions()).toEqual([{ id: other.id, version: 1 }]);
    const { rows } = await rig.pool.query('SELECT stream, version FROM parked_streams');
    expect(rows).toEqual([{ stream: `job-${touched.id}`, version: 1 }]);
    const stats = await rig.pool.query(`SELECT count::int FROM queue_stats WHERE status = 'running'`);
    expect(stats.rows).toEqual([{ count: 1 }]);
    await projector.stop();
  });

  it('refuses the write of a holder that froze between reading and writing while another took over', async () => {
    const job = new JobHistory();
    await appendAll(rig.log, [job.submit({}, START)]);
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const frozen = pausing(jobsProjection({ streamPrefix }), async () => {
      entered.resolve();
      await gate.promise;
    });
    const first = startProjector({ ...rig, logger: silent, ownerId: 'frozen', projections: [frozen] });
    await entered.promise;
    // As if five seconds had gone by without a sign of the holder.
    await rig.pool.query(`UPDATE projections SET owned_until = clock_timestamp() - interval '1 second'`);
    const second = startProjector({
      ...rig,
      logger: silent,
      ownerId: 'second',
      projections: [jobsProjection({ streamPrefix })],
    });
    await until(
      'the second one took over and worked',
      async () => (await rig.pool.query('SELECT FROM jobs')).rowCount === 1,
    );
    await appendAll(rig.log, [job.claim(START)]);
    await until('it works on', async () => (await rig.pool.query(`SELECT FROM jobs WHERE version = 1`)).rowCount === 1);
    gate.resolve();
    await first.stop();
    await second.stop();
    await expectRow(rig, job.id, job.job as Job);
    const { rows } = await rig.pool.query('SELECT status, count FROM queue_stats WHERE count <> 0');
    expect(rows).toEqual([{ status: 'running', count: '1' }]);
  });

  it('lets one process work while another stands by, and hands over when the first stops', async () => {
    const projections = [jobsProjection({ streamPrefix })];
    const first = startProjector({ ...rig, logger: silent, ownerId: 'first', projections });
    const owner = async () =>
      (await rig.pool.query('SELECT owner FROM projections')).rows[0]?.owner as string | undefined;
    await until('the first one works', async () => (await owner())?.startsWith('first/') ?? false);
    const second = startProjector({ ...rig, logger: silent, ownerId: 'second', projections });
    const job = new JobHistory();
    await appendAll(rig.log, [job.submit({}, START)]);
    await until('the job has a row', async () => (await rig.pool.query('SELECT FROM jobs')).rowCount === 1);
    expect(await owner()).toMatch(/^first\//);
    await first.stop();
    await until('the second one works', async () => (await owner())?.startsWith('second/') ?? false);
    await second.stop();
    expect(await owner()).toBeNull();
  });

  it('gives way to newer code, and newer code is not replaced by older', async () => {
    const older = jobsProjection({ streamPrefix });
    const newer: Projection = { ...older, schemaVersion: older.schemaVersion + 1 };
    const owner = async () =>
      (await rig.pool.query('SELECT owner FROM projections')).rows[0]?.owner as string | undefined;
    const old = startProjector({ ...rig, logger: silent, ownerId: 'old', projections: [older] });
    await until('the old one works', async () => (await owner())?.startsWith('old/') ?? false);
    const fresh = startProjector({ ...rig, logger: silent, ownerId: 'new', projections: [newer] });
    await until('the new one works', async () => (await owner())?.startsWith('new/') ?? false);
    await fresh.stop();
    const job = new JobHistory();
    await appendAll(rig.log, [job.submit({}, START)]);
    await old.stop();
    expect((await rig.pool.query('SELECT FROM jobs')).rowCount).toBe(0);
  });

  it('writes what follows on the heels of a page together, and what comes after a pause at once', async () => {
    const batches: number[] = [];
    const jobs = jobsProjection({ streamPrefix });
    const counting: Projection = {
      ...jobs,
      prepare: (events, source) => {
        batches.push(events.length);
        return jobs.prepare(events, source);
      },
    };
    const projector = startProjector({ ...rig, logger: silent, ownerId: 'p', projections: [counting] });
    await until('it works', async () => (await rig.pool.query('SELECT FROM projections')).rowCount === 1);
    const many = Array.from({ length: 60 }, () => new JobHistory());
    const startedAt = performance.now();
    for (const job of many) await rig.log.append([job.submit({}, START)]);
    await until('all have rows', async () => (await rig.pool.query('SELECT FROM jobs')).rowCount === many.length);
    const most = (performance.now() - startedAt) / 20 + 2;
    expect(batches.reduce((sum, events) => sum + events)).toBe(many.length);
    expect(batches.length).toBeLessThanOrEqual(most);
    await projector.stop();
  });

  it('lives through the loss of its connections', async () => {
    const projector = startProjector({
      ...rig,
      logger: silent,
      ownerId: 'p',
      projections: [jobsProjection({ streamPrefix })],
    });
    const jobs = Array.from({ length: 5 }, () => new JobHistory());
    for (const [index, job] of jobs.entries()) {
      await rig.log.append([job.submit({}, START)]);
      // The connection that asks may be one of those that were ended.
      const rows = () => rig.pool.query('SELECT FROM jobs').catch(() => ({ rowCount: null }));
      await until(`job ${index} has a row`, async () => (await rows()).rowCount === index + 1);
      await rig.pool.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
    }
    await projector.stop();
  });
});

/** A projection that stops once between reading and writing. */
function pausing(projection: Projection, pause: () => Promise<void>): Projection {
  return {
    ...projection,
    prepare: async (events, source) => {
      const prepared = await projection.prepare(events, source);
      await pause();
      return prepared;
    },
  };
}

/** Payload, result and what only decisions need are kept by the log alone. */
async function expectRow(rig: Rig, id: string, job: Job): Promise<void> {
  const query = { ...AS_SENT, text: `SELECT ${STORED_COLUMNS} FROM jobs WHERE id = $1`, values: [id] };
  const { rows } = (await rig.pool.query(query)) as unknown as { rows: readonly StoredColumns[] };
  const left = { payload: {}, fingerprint: '', lastEventId: '', ...(job.status === 'succeeded' && { result: null }) };
  expect(rows.map(jobOfRow)).toEqual([{ ...job, ...left }]);
  const columns = await rig.pool.query('SELECT lease_expires_at, result_version FROM jobs WHERE id = $1', [id]);
  expect(columns.rows).toEqual([
    {
      lease_expires_at: job.status === 'running' ? String(job.lease.expiresAt) : null,
      result_version: job.status === 'succeeded' ? expect.any(Number) : null,
    },
  ]);
}

async function dueRows(rig: Rig): Promise<readonly unknown[]> {
  const { rows } = await rig.pool.query(
    `SELECT job_id, version, status, queue, type, rank, due_at, request_id, state_format, state, entered_position
     FROM due_jobs ORDER BY job_id`,
  );
  return rows;
}
