import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jobView } from '#domain/job/view';
import { BadCursor, type JobFilters, type JobSort, type ListRequest, listJobs } from '#projections/jobs/list-queries';
import { listStatement, type Statement } from '#projections/jobs/list-statement';
import { jobsProjection } from '#projections/jobs/projection';
import { inTransaction } from '#runtime/postgres/transaction';
import { JobHistory } from './histories.ts';
import { START } from './random-histories.ts';
import { appendAll, catchUp, openRig, type Rig } from './rig.ts';

const streamPrefix = '';
const ALL: JobFilters = {
  ...{ status: [], queue: [], type: [], tags: [] },
  ...{ createdAfter: null, createdBefore: null, acknowledged: null },
};

/** Jobs straight into the table, many of them of one millisecond. */
const FILL = `INSERT INTO jobs (id, created_at, updated_at, scheduled_at, finished_at, lease_expires_at, version, result_version,
    attempt, fencing_token, state_format, acknowledged, status, queue, type, tags, state)
  SELECT gen_random_uuid(), $1::bigint + n / 1000, $1::bigint + n / 1000, $1::bigint + n / 1000,
    CASE WHEN s.status IN ('succeeded', 'dead') THEN $1::bigint END, NULL, 1, CASE WHEN s.status = 'succeeded' THEN 1 END,
    0, 0, 1, false, s.status, 'fill' || n % 5, 'type' || n % 7, CASE WHEN n % 100 = 0 THEN '{rare}' ELSE '{}' END::text[],
    CASE WHEN s.status = 'dead' THEN '{"deadReason": "attempts"}' ELSE '{}' END::json
  FROM generate_series($2::int, $3::int) AS n
  CROSS JOIN LATERAL (SELECT CASE WHEN n % 1000 = 0 THEN 'dead' WHEN n % 2 = 0 THEN 'succeeded' ELSE 'pending' END) AS s (status)`;

describe('the list of jobs', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await openRig();
  });
  afterAll(() => rig.close());

  const list = (request: Partial<Omit<ListRequest, 'filters'>> & { filters?: Partial<JobFilters> }) =>
    listJobs(
      { ...rig, streamPrefix },
      {
        sort: '-created_at',
        limit: 50,
        cursor: null,
        include: [],
        ...request,
        filters: { ...ALL, ...request.filters },
      },
    );

  async function walk(sort: JobSort, limit: number, filters: Partial<JobFilters>, between?: () => Promise<void>) {
    const ids: string[] = [];
    for (let cursor: string | null = null; ; ) {
      const page = await list({ sort, limit, cursor, filters });
      ids.push(...page.rows.map((row) => row.id));
      if (page.nextCursor === null) return ids;
      cursor = page.nextCursor;
      await between?.();
    }
  }

  async function explain({ settings, text, values }: Statement) {
    return inTransaction(rig.pool, async (transaction) => {
      await transaction.query(settings);
      const { rows } = await transaction.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, [...values]);
      const [{ Plan }] = rows[0]['QUERY PLAN'] as [
        { Plan: Record<'Shared Hit Blocks' | 'Shared Read Blocks', number> },
      ];
      return Plan;
    });
  }

  it('shows each job as its stream says, without the large fields unless they are asked for', async () => {
    const [done, waiting] = [new JobHistory(), new JobHistory()];
    await appendAll(rig.log, [
      done.submit({ queue: 'shape', payload: { a: 1 }, tags: ['x', 'y"{'] }, START),
      waiting.submit({ queue: 'shape', tags: ['y"{'], priority: 5, delay_seconds: 9 }, START + 1),
      done.claim(START + 2),
      done.step({ kind: 'heartbeat', fencingToken: 1, progress: 3, checkpoint: [4] }, START + 3) ?? fail(),
      done.step({ kind: 'complete', fencingToken: 1, result: { b: 2 } }, START + 4) ?? fail(),
      done.step({ kind: 'release-key' }, START + 5) ?? fail(),
    ]);
    await catchUp(rig, [jobsProjection({ streamPrefix })]);
    const full = [waiting, done].map(({ job }) => jobView(job ?? fail()));
    const short = full.map(({ payload: _p, result: _r, progress: _g, checkpoint: _c, ...rest }) => rest);
    expect(await list({ filters: { queue: ['shape'] } })).toEqual({ rows: short, nextCursor: null });
    const include = ['payload', 'result', 'progress', 'checkpoint'] as const;
    expect((await list({ filters: { queue: ['shape'] }, include })).rows).toEqual(full);
    expect((await list({ filters: { queue: ['shape'], tags: ['y"{', 'x'] } })).rows).toEqual([short[1]]);
    expect((await list({ filters: { queue: ['shape'], createdAfter: START + 1 } })).rows).toEqual([short[0]]);
    expect((await list({ filters: { queue: ['shape'], createdBefore: START + 1 } })).rows).toEqual([short[1]]);
    expect((await list({ filters: { queue: ['shape', 'other'], status: ['dead', 'pending'] } })).rows).toEqual([
      short[0],
    ]);
  });

  it('leaves acknowledged dead jobs out when that is asked', async () => {
    const jobs = [new JobHistory(), new JobHistory()];
    const error = { message: 'no', code: null, stack: null };
    for (const job of jobs) {
      await appendAll(rig.log, [job.submit({ queue: 'seen' }, START), job.claim(START)]);
      const fails = {
        kind: 'fail',
        fencingToken: 1,
        error,
        why: 'error',
        retryable: false,
        retryAfterSeconds: null,
      } as const;
      await appendAll(rig.log, [job.step(fails, START) ?? fail()]);
    }
    await appendAll(rig.log, [jobs[0]?.step({ kind: 'acknowledge', reason: null }, START) ?? fail()]);
    await catchUp(rig, [jobsProjection({ streamPrefix })]);
    const filters = { queue: ['seen'], status: ['dead' as const], acknowledged: false };
    expect((await list({ filters })).rows.map((row) => row.id)).toEqual([jobs[1]?.id]);
  });

  it('walks every job exactly once, in every order, with thousands of one time while others come and go', async () => {
    const stable = Array.from({ length: 2000 }, () => new JobHistory());
    await rig.log.append(stable.slice(0, 1000).map((job) => job.submit({ queue: 'walk' }, START)));
    await rig.log.append(stable.slice(1000).map((job) => job.submit({ queue: 'walk' }, START + 1)));
    await catchUp(rig, [jobsProjection({ streamPrefix })]);
    const expected = stable.map((job) => job.id).sort();
    const churn = async () => {
      const other = new JobHistory();
      await appendAll(rig.log, [
        other.submit({ queue: 'walk' }, START),
        other.step({ kind: 'cancel', reason: null }, START + 2) ?? fail(),
      ]);
      await catchUp(rig, [jobsProjection({ streamPrefix })]);
    };
    for (const sort of ['-created_at', 'created_at', 'scheduled_at', '-updated_at'] as const) {
      const filters = { queue: ['walk'], status: ['pending' as const] };
      let pages = 0;
      const seen = await walk(sort, 100, filters, async () => {
        if (pages++ % 5 === 0) await churn();
      });
      expect(seen.toSorted()).toEqual(expected);
    }
    expect((await walk('-created_at', 7, { queue: ['walk'], status: ['pending'] })).toSorted()).toEqual(expected);
    const few = { queue: ['walk'], createdAfter: START + 1, status: ['pending' as const] };
    expect(await walk('-created_at', 1, { ...few, createdBefore: START + 1 })).toEqual([]);
    expect(await walk('created_at', 333, few)).toEqual((await walk('-created_at', 200, few)).toReversed());
  }, 60_000);

  it('refuses a cursor that is changed, cut off, foreign, or made for something else', async () => {
    const filters = { queue: ['walk'] };
    const cursor = (await list({ filters, limit: 3 })).nextCursor ?? fail();
    expect((await list({ filters, limit: 9, cursor, include: ['progress'] })).rows).toHaveLength(9);
    const [version, key, id, digest] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [
      number,
      number,
      string,
      string,
    ];
    const forged = Buffer.from(JSON.stringify([version, key + 1, id, digest])).toString('base64url');
    const bad = [
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      '',
      'x',
      forged,
      Buffer.from('[1,2,3]').toString('base64url'),
    ];
    for (const wrong of bad) await expect(list({ filters, cursor: wrong })).rejects.toThrow(BadCursor);
    await expect(list({ filters: { queue: ['other'] }, cursor })).rejects.toThrow(BadCursor);
    await expect(list({ filters, cursor, sort: 'created_at' })).rejects.toThrow(BadCursor);
  });

  it('reads a page through an index, however many jobs there are and without statistics', async () => {
    await rig.pool.query('ALTER TABLE jobs SET (autovacuum_enabled = off)');
    for (let from = 1; from < 100_000; from += 10_000) {
      await rig.pool.query(FILL, [START - 86_400_000, from, from + 9_999]);
    }
    const after = { key: START - 86_399_950, id: '80000000-0000-4000-8000-000000000000' };
    const cases: [string, JobSort, Partial<JobFilters>][] = [
      ['everything', '-created_at', {}],
      ['everything, oldest first', 'created_at', {}],
      ['by change', '-updated_at', {}],
      ['by schedule', 'scheduled_at', {}],
      ['a rare status', '-created_at', { status: ['dead'] }],
      ['a rare status by change', '-updated_at', { status: ['dead'] }],
      ['a queue', '-created_at', { queue: ['fill1', 'fill2'] }],
      ['a queue and a status', 'created_at', { queue: ['fill0'], status: ['dead'] }],
      ['a type', '-created_at', { type: ['type3'] }],
      ['a time', '-created_at', { createdAfter: START - 86_399_990, createdBefore: START - 86_399_980 }],
      ['an unknown queue', '-created_at', { queue: ['nobody'] }],
    ];
    for (const [what, sort, filters] of cases) {
      for (const end of [null, after]) {
        const statement = listStatement({ filters: { ...ALL, ...filters }, sort, after: end, limit: 51 });
        const plan = await explain(statement);
        expect(JSON.stringify(plan), what).not.toContain('Seq Scan');
        // Five branches of a page; each row costs at most its index and table page.
        expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], what).toBeLessThan(1500);
      }
    }
    const tagged = await walk('-created_at', 200, { tags: ['rare'] });
    expect(new Set(tagged).size).toBe(1000);
  }, 120_000);
});

function fail(): never {
  throw new Error('the domain refused the step');
}
