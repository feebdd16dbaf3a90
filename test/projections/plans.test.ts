import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JOB_STATUSES } from '#domain/job/state';
import { type JobFilters, type JobSort, listStatement } from '#projections/jobs/list-statement';
import { jobsProjection } from '#projections/jobs/projection';
import { loadSql } from '#runtime/postgres/sql';
import { inTransaction } from '#runtime/postgres/transaction';
import { until } from '../support/until.ts';
import { JobHistory } from './histories.ts';
import { START } from './random-histories.ts';
import { catchUp, openRig, type Rig } from './rig.ts';

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly Plan[];
}

const JOBS = 60_000;
const ALL: JobFilters = {
  ...{ status: [], queue: [], type: [], tags: [] },
  ...{ createdAfter: null, createdBefore: null, acknowledged: null },
};
/** One status and one type are rare. */
const FILL = `INSERT INTO jobs (id, created_at, updated_at, scheduled_at, finished_at, version, result_version, attempt,
    fencing_token, state_format, acknowledged, status, queue, type, tags, state)
  SELECT gen_random_uuid(), n, n + n % 1000, n, CASE WHEN n % 4 <> 0 THEN n END, 1,
    CASE WHEN n % 4 <> 0 AND n % 1000 <> 1 THEN 1 END, 0, 0, 1, false,
    CASE WHEN n % 4 = 0 THEN 'pending' WHEN n % 1000 = 1 THEN 'dead' ELSE 'succeeded' END,
    'queue' || n % 50, CASE WHEN n % 5000 = 0 THEN 'rare' ELSE 'common' END, '{}',
    CASE WHEN n % 1000 = 1 THEN '{"deadReason": "attempts"}' ELSE '{}' END::json
  FROM generate_series(1, ${JOBS}) AS n`;

const nodesOf = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
const indexesOf = (plan: Plan) =>
  [...new Set(nodesOf(plan).flatMap((node) => node['Index Name'] ?? []))].filter((name) => name.startsWith('jobs'));

async function planOf(
  rig: Rig,
  { settings, text, values }: { settings?: string; text: string; values: readonly unknown[] },
) {
  return inTransaction(rig.pool, async (transaction) => {
    if (settings !== undefined) await transaction.query(settings);
    const { rows } = await transaction.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [...values]);
    return (rows[0]['QUERY PLAN'] as [{ Plan: Plan }])[0].Plan;
  });
}

describe.each([
  ['without statistics', 'SELECT'],
  ['with statistics', 'ANALYZE jobs, queue_stats, queue_activity, due_jobs'],
])('%s, a page of the list', (_when, statistics) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await openRig();
    await rig.pool.query('ALTER TABLE jobs SET (autovacuum_enabled = off)');
    await rig.pool.query(FILL);
    await rig.pool.query(statistics);
  }, 120_000);
  afterAll(() => rig.close());

  const cases: [string, string | RegExp, JobSort, Partial<JobFilters>][] = [
    ['everything', 'jobs_by_creation', '-created_at', {}],
    ['everything, oldest first', 'jobs_by_creation', 'created_at', {}],
    ['everything by change', 'jobs_by_change', '-updated_at', {}],
    ['everything by schedule', 'jobs_by_schedule', 'scheduled_at', {}],
    ['a rare status', 'jobs_by_creation', '-created_at', { status: ['dead'] }],
    ['a rare status by change', 'jobs_by_change', '-updated_at', { status: ['dead'] }],
    ['a queue', 'jobs_by_queue', '-created_at', { queue: ['queue1', 'queue2'] }],
    ['a queue and a status', 'jobs_by_queue', 'created_at', { queue: ['queue0'], status: ['pending'] }],
    ['a rare type', 'jobs_by_type', '-created_at', { type: ['rare'] }],
    ['a type and a status', 'jobs_by_type', '-created_at', { type: ['common'], status: ['dead'] }],
    // Few rows of few types are found as cheaply by a skip scan.
    ['a span of time', /jobs_by_(creation|type)/, '-created_at', { createdAfter: 500, createdBefore: 900 }],
  ];
  it.each(cases)('of %s is read through one index, %s', async (_what, index, sort, filters) => {
    const after = { key: JOBS / 2, id: '80000000-0000-4000-8000-000000000000' };
    for (const end of [null, after]) {
      const plan = await planOf(rig, listStatement({ filters: { ...ALL, ...filters }, sort, after: end, limit: 51 }));
      const nodes = nodesOf(plan);
      expect(indexesOf(plan)).toHaveLength(1);
      expect(indexesOf(plan)[0]).toMatch(index);
      expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
      // What is sorted is at most a page of each branch: by five statuses, in two queues.
      const sorted = nodes.filter((node) => node['Node Type'].includes('Sort')).flatMap((node) => node.Plans ?? []);
      for (const below of sorted) {
        expect(below['Actual Rows'] * below['Actual Loops']).toBeLessThanOrEqual(51 * JOB_STATUSES.length * 2);
      }
    }
  });

  it('of the queues touches no row of a job', async () => {
    const plan = await planOf(rig, {
      text: loadSql(import.meta.url, '../../projections/jobs/queues.sql'),
      values: [null, 0],
    });
    expect(indexesOf(plan)).toEqual([]);
    expect(JSON.stringify(plan)).not.toContain('"Relation Name":"jobs"');
  });
});

describe('a projector whose tables fill fast and were never analyzed', () => {
  it('finds the rows it goes on with by their ids', async () => {
    const rig = await openRig({ hook: false });
    await rig.pool.query('ALTER TABLE jobs SET (autovacuum_enabled = off)');
    const projection = jobsProjection({ streamPrefix: '' });
    for (let round = 0; round < 8; round += 1) {
      const jobs = Array.from({ length: 500 }, () => new JobHistory());
      await rig.log.append(jobs.map((job) => job.submit({}, START)));
      await catchUp(rig, [projection]);
      await rig.log.append(jobs.map((job) => job.claim(START + 1)));
      await catchUp(rig, [projection]);
    }
    // A backend hands in its counters when it is idle for a while.
    const counters = await until('the counters have arrived', async () => {
      const found = await scansOf(rig);
      return found.updated === 4000 && found;
    });
    expect(counters.seq_scan).toBe(0);
    await rig.close();
  });
});

async function scansOf(rig: Rig): Promise<{ seq_scan: number; updated: number }> {
  const { rows } = await rig.pool.query(
    `SELECT seq_scan::int, n_tup_upd::int AS updated FROM pg_stat_user_tables WHERE relname = 'jobs'`,
  );
  return rows[0];
}
