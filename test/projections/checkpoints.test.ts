import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dueJobsProjection } from '#projections/due-jobs/projection';
import { jobsProjection } from '#projections/jobs/projection';
import { PositionWaiter } from '#projections/positions/position-queries';
import { ProjectionProgress } from '#projections/positions/progress';
import type { Projection } from '#projections/projector/projection';
import { startProjector } from '#projections/projector/projector';
import { RebuildRefused, rebuildOffline } from '#projections/rebuild/offline';
import { rebuildUnderLock } from '#projections/rebuild/under-lock';
import { projectionViews } from '#projections/status/projection-queries';
import { workersProjection } from '#projections/workers/projection';
import { until } from '../support/until.ts';
import { JobHistory } from './histories.ts';
import { play, randomHistories, START } from './random-histories.ts';
import { appendAll, catchUp, openRig, type Rig, silent } from './rig.ts';

const streamPrefix = '';
const jobs = jobsProjection({ streamPrefix });
const dueJobs = dueJobsProjection({ streamPrefix });

describe('checkpoints', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await openRig();
  });
  afterEach(() => rig.close());

  const views = (...names: string[]) =>
    projectionViews({ ...rig, names, writtenByAppend: ['due_jobs'] }, START + 10_000);
  const running = (projection: Projection, progress?: ProjectionProgress) =>
    startProjector({
      ...rig,
      logger: silent,
      ownerId: 'test',
      projections: [projection],
      ...(progress ? { progress } : {}),
    });
  /** Counts how often a checkpoint is moved from now on. */
  const watchMoves = async (name: string) => {
    await rig.pool.query(
      `CREATE TABLE moves (); CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN INSERT INTO moves DEFAULT VALUES; RETURN NEW; END $$;
       CREATE TRIGGER note AFTER UPDATE ON projections FOR EACH ROW
       WHEN (NEW.name = '${name}' AND OLD.position IS DISTINCT FROM NEW.position) EXECUTE FUNCTION note()`,
    );
    return async () => Number((await rig.pool.query('SELECT count(*) FROM moves')).rows[0]?.count);
  };
  const allRows = async () => ({
    jobs: (await rig.pool.query('SELECT * FROM jobs ORDER BY id')).rows,
    stats: (await rig.pool.query('SELECT * FROM queue_stats WHERE count <> 0 ORDER BY 1, 2')).rows,
    activity: (await rig.pool.query('SELECT * FROM queue_activity ORDER BY 1, 2')).rows,
    due: (
      await rig.pool.query(
        `SELECT to_jsonb(due) - '{ready,offered_until,withheld_version}'::text[] AS row FROM due_jobs AS due ORDER BY job_id`,
      )
    ).rows,
  });

  it.each([
    ['of another log', `log_id = '${randomUUID()}'`],
    ['ahead of the log', `position = left(position, 8) || 'ffff000000000000'`],
  ])('%s stop the projection loudly, and are put right by a rebuild', async (_what, change) => {
    const job = new JobHistory();
    await appendAll(rig.log, [job.submit({}, START)]);
    await catchUp(rig, [jobs]);
    await rig.pool.query(`UPDATE projections SET ${change}`);
    const errors: unknown[] = [];
    const logger = Object.assign(Object.create(silent) as typeof silent, {
      child: () =>
        Object.assign(Object.create(silent) as typeof silent, { error: (facts: unknown) => errors.push(facts) }),
    });
    const projector = startProjector({ ...rig, logger, ownerId: 'test', projections: [jobs] });
    await until('the failure is told', () => errors.length === 1);
    await appendAll(rig.log, [job.claim(START)]);
    expect((await views('jobs'))[0]).toMatchObject({ state: 'failed' });
    await projector.stop();
    expect((await rig.pool.query('SELECT version FROM jobs')).rows).toEqual([{ version: 0 }]);
    await rebuildOffline({ ...rig, projection: jobs });
    expect((await rig.pool.query('SELECT version FROM jobs')).rows).toEqual([{ version: 1 }]);
    expect((await views('jobs'))[0]).toMatchObject({ state: 'paused', lag_events: 0, generation: 2 });
  });

  it('tell how far each projection is', async () => {
    expect(await views('jobs', 'due_jobs')).toMatchObject([
      { name: 'jobs', state: 'paused', generation: 1, position: null, lag_events: 0, rebuild: null },
      { name: 'due_jobs', state: 'live', position: await rig.log.head(), lag_events: 0 },
    ]);
    await appendAll(rig.log, [new JobHistory().submit({}, START), new JobHistory().submit({}, START)]);
    expect((await views('jobs'))[0]).toMatchObject({ state: 'paused', lag_events: 2, lag_seconds: 10 });
    const projector = running(jobs);
    await until(
      'it is live',
      async () => (await views('jobs'))[0]?.state === 'live' && (await views('jobs'))[0]?.lag_events === 0,
    );
    expect((await views('jobs'))[0]?.position).toBe(await rig.log.head());
    await projector.stop();
  });

  it('are waited for, in process and across processes', async () => {
    const progress = new ProjectionProgress();
    const near = new PositionWaiter({ pool: rig.pool, progress, writtenByAppend: ['due_jobs'] });
    const far = new PositionWaiter({ pool: rig.pool, writtenByAppend: [] });
    const [result] = await rig.log.append([new JobHistory().submit({}, START)]);
    const position = result?.kind === 'appended' ? result.position : '';
    expect(await near.waitForPosition(['due_jobs'], position, { timeoutMs: 0 })).toBe(true);
    expect(await near.waitForPosition(['jobs', 'due_jobs'], position, { timeoutMs: 30 })).toBe(false);
    const waits = [near, far].map((waiter) => waiter.waitForPosition(['jobs'], position, { timeoutMs: 10_000 }));
    const projector = running(jobs, progress);
    expect(await Promise.all(waits)).toEqual([true, true]);
    await projector.stop();
    const aborted = near.waitForPosition(['workers'], position, { timeoutMs: 60_000, signal: AbortSignal.timeout(20) });
    expect(await aborted).toBe(false);
  });

  it('begin anew in a rebuild, which leads to the very rows that live work led to', async () => {
    const seed = Date.now();
    console.info(`random histories with seed ${seed}`);
    for (const steps of fc.sample(randomHistories, { seed, numRuns: 2 })) {
      await appendAll(rig.log, play(steps).appends);
      await catchUp(rig, [jobs], { pageSize: 23 });
    }
    const live = await allRows();
    const progress: number[] = [];
    const onProgress = (done: number, total: number) => progress.push(done / total);
    for (const pageSize of [100, 7]) {
      await rebuildOffline({ ...rig, projection: jobs, pageSize, onProgress });
      await rebuildUnderLock({ ...rig, projection: dueJobs, pageSize, onProgress });
      expect(await allRows()).toEqual(live);
    }
    expect(progress.at(-1)).toBe(1);
    expect(live.jobs.length).toBeGreaterThan(20);
    expect(live.due.length).toBeGreaterThan(3);
  });

  it('are not rebuilt while a projector works', async () => {
    const projector = running(jobs);
    await until('it works', async () => (await views('jobs'))[0]?.state === 'live');
    await expect(rebuildOffline({ ...rig, projection: jobs })).rejects.toThrow(RebuildRefused);
    await projector.stop();
    await rebuildOffline({ ...rig, projection: jobs });
  });

  it('fence out a projector that slept through the rebuild', async () => {
    const job = new JobHistory();
    await appendAll(rig.log, [job.submit({}, START)]);
    const [gate, entered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const projector = running({
      ...jobs,
      prepare: async (events, source) => {
        const prepared = await jobs.prepare(events, source);
        entered.resolve();
        await gate.promise;
        return prepared;
      },
    });
    await entered.promise;
    await rig.pool.query(`UPDATE projections SET owned_until = clock_timestamp() - interval '1 second'`);
    await rebuildOffline({ ...rig, projection: jobs });
    gate.resolve();
    await projector.stop();
    expect((await rig.pool.query('SELECT count FROM queue_stats')).rows).toEqual([{ count: '1' }]);
  });

  it('let an append wait for the due table, and lose nothing, while it is rebuilt under lock', async () => {
    const [first, second] = [new JobHistory(), new JobHistory()];
    await appendAll(rig.log, [first.submit({}, START)]);
    let append: Promise<unknown> = Promise.resolve();
    const slow: Projection = {
      ...dueJobs,
      prepare: async (events, source) => {
        append = rig.log.append([second.submit({}, START), first.claim(START)]);
        await until('the append waits for the table', async () => {
          const waiting = await rig.pool.query(
            `SELECT FROM pg_locks WHERE NOT granted AND relation = 'due_jobs'::regclass`,
          );
          return (waiting.rowCount ?? 0) > 0;
        });
        return dueJobs.prepare(events, source);
      },
    };
    await rebuildUnderLock({ ...rig, projection: slow });
    await append;
    const { rows } = await rig.pool.query('SELECT job_id, version FROM due_jobs ORDER BY version');
    expect(rows).toEqual([
      { job_id: second.id, version: 0 },
      { job_id: first.id, version: 1 },
    ]);
  });

  it('of several projections move on their own', async () => {
    await appendAll(rig.log, [new JobHistory().submit({}, START)]);
    await catchUp(rig, [jobs, workersProjection({ streamPrefix })]);
    expect((await views('jobs', 'workers')).map((view) => view.lag_events)).toEqual([0, 0]);
  });

  it('follow in time, not page by page, over events that concern the projection nowhere', async () => {
    const moves = await watchMoves('workers');
    const progress = new ProjectionProgress();
    const projector = running(workersProjection({ streamPrefix }), progress);
    await until('it works', async () => (await views('workers'))[0]?.state === 'live');
    const startedAt = performance.now();
    let position = '';
    for (let n = 0; n < 40; n += 1) {
      const [result] = await rig.log.append([new JobHistory().submit({}, START)]);
      position = result?.kind === 'appended' ? result.position : '';
      await until('it was seen', () => (progress.position('workers') ?? '') >= position);
    }
    const tenths = (performance.now() - startedAt) / 100;
    await until('the checkpoint follows', async () => (await views('workers'))[0]?.position === position);
    expect(await moves()).toBeLessThanOrEqual(tenths + 2);
    await projector.stop();
  });

  it('are moved to what was seen before the projection is handed back', async () => {
    const progress = new ProjectionProgress();
    const projector = running(workersProjection({ streamPrefix }), progress);
    const seen = async () => {
      const [result] = await rig.log.append([new JobHistory().submit({}, START)]);
      const position = result?.kind === 'appended' ? result.position : '';
      await until('it was seen', () => (progress.position('workers') ?? '') >= position);
      return position;
    };
    await seen();
    const last = await seen();
    await projector.stop();
    expect((await rig.pool.query('SELECT position, owner FROM projections')).rows).toEqual([
      { position: last, owner: null },
    ]);
  });
});
