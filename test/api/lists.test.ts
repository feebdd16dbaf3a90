import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig?.close());

interface Listed {
  readonly id: string;
  readonly [field: string]: unknown;
}

const idsOf = ({ data }: { data: readonly Listed[] }) => data.map(({ id }) => id);

/** Submits jobs and gives their ids with a position from which lists show them. */
async function submitAll(jobs: readonly object[]): Promise<{ ids: string[]; position: string }> {
  const { body, headers } = await rig.expectStatus(202, 'POST', '/v1/jobs/bulk', { jobs });
  expect(body.created).toBe(jobs.length);
  return {
    ids: body.results.map(({ job }: { job: Listed }) => job.id),
    position: headers.get('holdfast-position') as string,
  };
}

const list = async (query: string) => (await rig.expectStatus(200, 'GET', `/v1/jobs?${query}`)).body;

async function walk(query: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const page = await list(query + cursor);
    ids.push(...idsOf(page));
    if (page.next_cursor === null) return ids;
    cursor = `&cursor=${page.next_cursor}`;
  }
}

describe('the list of jobs', () => {
  test('shows what was written before min_position, newest first, without the large fields', async () => {
    const { ids, position } = await submitAll([{ queue: 'l1', payload: { a: 1 } }, { queue: 'l1' }]);
    const answer = await rig.expectStatus(200, 'GET', `/v1/jobs?queue=l1&min_position=${position}`);
    expect(answer.body.next_cursor).toBeNull();
    expect(idsOf(answer.body).sort()).toEqual([...ids].sort());
    const job = (await rig.call('GET', `/v1/jobs/${ids[0]}`)).body;
    for (const name of ['payload', 'result', 'progress', 'checkpoint']) delete job[name];
    expect(answer.body.data.find(({ id }: Listed) => id === ids[0])).toEqual(job);
    expect((answer.headers.get('holdfast-position') ?? '') >= position).toBe(true);
  });

  test('adds the large fields that are asked for', async () => {
    const { position } = await submitAll([{ queue: 'l2', payload: { a: 1 } }]);
    const { data } = await list(`queue=l2&min_position=${position}&include=payload,result`);
    expect(data[0]).toMatchObject({ payload: { a: 1 }, result: null });
    expect(data[0]).not.toHaveProperty('progress');
    expect((await rig.expectStatus(200, 'GET', '/v1/jobs?queue=l2&include=payload&limit=50')).status).toBe(200);
  });

  test('filters by status, queue and type any of, by tag all of, by time', async () => {
    const { ids, position } = await submitAll([
      { queue: 'l3', type: 'x', tags: ['a', 'b'] },
      { queue: 'l3', type: 'y', tags: ['a'] },
      { queue: 'l4', type: 'x', tags: ['%', '_'] },
    ]);
    const [first, second, third] = ids as [string, string, string];
    const { headers } = await rig.expectStatus(200, 'POST', `/v1/jobs/${second}/cancel`);
    const at = `min_position=${headers.get('holdfast-position')}`;
    const found = async (filter: string) => idsOf(await list(`${at}&queue=l3&queue=l4&${filter}`)).sort();
    expect(await found('')).toEqual([...ids].sort());
    expect(await found('status=cancelled&status=dead')).toEqual([second]);
    expect(await found('type=x&type=z')).toEqual([first, third].sort());
    expect(await found('tag=a')).toEqual([first, second].sort());
    expect(await found('tag=a&tag=b')).toEqual([first]);
    expect(await found('tag=%25')).toEqual([third]);
    const created = (await rig.call('GET', `/v1/jobs/${first}`)).body.created_at;
    expect(await found(`created_after=${created}`)).toContain(first);
    expect(await found(`created_before=${created}`)).toEqual([]);
    expect(position <= (headers.get('holdfast-position') ?? '')).toBe(true);
  });

  test.each([1, 7, 100])(
    'is walked once over 300 jobs of one bulk, %i a page, both ways',
    async (limit) => {
      const queue = `walk${limit}`;
      const { ids, position } = await submitAll(Array.from({ length: 300 }, () => ({ queue })));
      await list(`min_position=${position}`);
      for (const sort of ['-created_at', 'created_at', 'scheduled_at', '-updated_at']) {
        if (limit === 1 && sort !== 'created_at') continue;
        const seen = await walk(`queue=${queue}&limit=${limit}&sort=${sort}`);
        expect(seen.length).toBe(300);
        expect([...seen].sort()).toEqual([...ids].sort());
      }
    },
    60_000,
  );

  test('refuses a cursor that was changed, cut, or made for other filters or another sort', async () => {
    const { position } = await submitAll(Array.from({ length: 3 }, () => ({ queue: 'l5' })));
    const { next_cursor: cursor } = await list(`queue=l5&limit=1&min_position=${position}`);
    expect((await list(`queue=l5&limit=2&include=payload&cursor=${cursor}`)).data).toHaveLength(2);
    const bad = [
      `queue=l5&cursor=${cursor.slice(0, -2)}`,
      `queue=l5&cursor=${cursor}x`,
      `queue=l5&cursor=${cursor.slice(0, 3)}Q${cursor.slice(4)}`,
      `queue=l6&cursor=${cursor}`,
      `queue=l5&status=dead&cursor=${cursor}`,
      `queue=l5&sort=created_at&cursor=${cursor}`,
      'cursor=nope',
      'cursor=%00',
    ];
    for (const query of bad) {
      const { body } = await rig.expectStatus(400, 'GET', `/v1/jobs?${query}`);
      expect([body.code, body.errors[0].parameter]).toEqual(['invalid-request', 'cursor']);
    }
  });

  test('shows jobs as they were at an instant', async () => {
    const { ids, position } = await submitAll(Array.from({ length: 5 }, () => ({ queue: 'l7', payload: { n: 1 } })));
    const before = (await rig.call('GET', `/v1/jobs/${ids[4]}`)).body.created_at;
    await until('the clock has moved', () => rig.clock.now() > Date.parse(before));
    await rig.expectStatus(200, 'POST', `/v1/jobs/${ids[0]}/cancel`);
    await rig.expectStatus(200, 'POST', `/v1/jobs/${ids[1]}/cancel`);
    const query = `queue=l7&status=pending&as_of=${before}&min_position=${position}`;
    expect((await walk(`${query}&limit=2`)).sort()).toEqual([...ids].sort());
    const page = await list(`${query}&limit=1&include=payload`);
    expect(page.data[0]).toMatchObject({ status: 'pending', version: 0, payload: { n: 1 } });
    expect((await list(`queue=l7&as_of=2020-01-01T00:00:00Z`)).data).toEqual([]);
    expect((await list(`queue=l7&status=cancelled&as_of=2999-01-01T00:00:00Z`)).data).toHaveLength(2);
    await rig.expectStatus(400, 'GET', `/v1/jobs?queue=l7&status=dead&as_of=${before}&cursor=${page.next_cursor}`);
    await rig.expectStatus(400, 'GET', `/v1/jobs?queue=l7&sort=-updated_at&as_of=${before}`);
  });

  test('refuses a position of another log or beyond the head', async () => {
    const head = await rig.log.head();
    const beyond = head.slice(0, 8) + 'f'.repeat(12).padStart(16, '0');
    for (const position of ['x', '00000000000000000000a1f3', beyond]) {
      for (const path of [
        '/v1/jobs',
        '/v1/queues',
        '/v1/workers',
        '/v1/queues/default',
        '/v1/events',
        '/v1/projections',
      ]) {
        const { body } = await rig.expectStatus(400, 'GET', `${path}?min_position=${position}`);
        expect(body.errors[0].parameter).toBe('min_position');
      }
    }
  });
});

test('the short lists come in pages by name, whose cursors belong to their list', async () => {
  for (const queue of ['page-c', 'page-a', 'page-b']) await rig.expectStatus(202, 'POST', '/v1/jobs', { queue });
  const { headers } = await rig.expectStatus(202, 'POST', '/v1/jobs', { queue: 'page-d' });
  const settled = `min_position=${headers.get('holdfast-position')}`;
  const seen: string[] = [];
  let cursor = '';
  do {
    const { body } = await rig.expectStatus(200, 'GET', `/v1/queues?limit=3&${settled}${cursor}`);
    seen.push(...body.data.map(({ name }: { name: string }) => name));
    cursor = body.next_cursor && `&cursor=${body.next_cursor}`;
  } while (cursor);
  expect(seen).toEqual([...new Set(seen)].sort());
  expect(seen).toEqual(expect.arrayContaining(['page-a', 'page-b', 'page-c', 'page-d']));
  const { body } = await rig.expectStatus(200, 'GET', '/v1/projections?limit=1');
  expect(body.data).toHaveLength(1);
  const foreign = await rig.expectStatus(400, 'GET', `/v1/queues?cursor=${body.next_cursor}`);
  expect(foreign.body.errors[0].parameter).toBe('cursor');
});

test('a table that does not come along within 5 s is 503, never an old answer', async () => {
  const behind = await openRig({ projector: false });
  try {
    const { headers } = await behind.expectStatus(202, 'POST', '/v1/jobs', {});
    const started = performance.now();
    const answer = await behind.call('GET', `/v1/jobs?min_position=${headers.get('holdfast-position')}`);
    expect([answer.status, answer.body.code]).toEqual([503, 'read-model-behind']);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(performance.now() - started).toBeGreaterThan(4900);
    await behind.expectStatus(200, 'GET', '/v1/jobs');
  } finally {
    await behind.close();
  }
}, 30_000);

test('queues are counted, and one that was never used has zeros', async () => {
  const { position } = await submitAll([{ queue: 'q1' }, { queue: 'q1', delay_seconds: 60 }]);
  const { body } = await rig.expectStatus(200, 'GET', `/v1/queues?min_position=${position}`);
  const queue = body.data.find(({ name }: { name: string }) => name === 'q1');
  expect(body.next_cursor).toBeNull();
  expect(queue).toEqual({
    name: 'q1',
    version: expect.any(Number),
    paused: false,
    paused_by: null,
    pause_reason: null,
    concurrency: null,
    concurrency_per_key: null,
    rate_limit: null,
    slots_in_use: 0,
    depth: { pending: 2, running: 0, succeeded: 0, dead: 0, cancelled: 0 },
    due: 1,
    oldest_due_at: expect.any(String),
    oldest_due_seconds: expect.any(Number),
    rates: { submitted: expect.any(Number), started: 0, finished: 0 },
  });
  const one = await rig.expectStatus(200, 'GET', `/v1/queues/q1?min_position=${position}`);
  expect(one.body).toMatchObject({ name: 'q1', depth: queue.depth, due: 1 });
  expect((await rig.expectStatus(200, 'GET', '/v1/queues/never-used')).body).toMatchObject({
    ...{ name: 'never-used', due: 0, oldest_due_at: null, depth: { pending: 0 } },
  });
});

test('a worker that speaks REST is seen by its lease calls, and its types are served then', async () => {
  await rig.expectStatus(200, 'POST', '/v1/leases', { worker_id: 'rest-1', types: ['seen-type'] });
  const { body } = await rig.expectStatus(200, 'GET', '/v1/workers');
  expect(body.data.find(({ worker_id }: { worker_id: string }) => worker_id === 'rest-1')).toEqual({
    worker_id: 'rest-1',
    host: null,
    pid: null,
    version: null,
    status: 'active',
    queues: null,
    types: ['seen-type'],
    concurrency: null,
    running: 0,
    last_seen_at: expect.any(String),
  });
  const served = await rig.expectStatus(202, 'POST', '/v1/jobs', { type: 'seen-type' });
  expect(served.headers.get('holdfast-warning')).toBeNull();
  const unserved = await rig.expectStatus(202, 'POST', '/v1/jobs', { type: 'unseen-type' });
  expect(unserved.headers.get('holdfast-warning')).toBe('no-worker');
  expect((await rig.call('GET', `/v1/jobs/${served.body.id}/explain`)).body.code).toBe('behind-others');
});

test('projections tell where they are', async () => {
  const { position } = await submitAll([{}]);
  await list(`min_position=${position}`);
  const { body } = await rig.expectStatus(200, 'GET', '/v1/projections');
  const names = body.data.map(({ name }: { name: string }) => name).sort();
  expect(names).toEqual(['due_jobs', 'jobs', 'workers']);
  for (const projection of body.data) {
    expect(projection).toEqual({
      name: expect.any(String),
      state: 'live',
      generation: expect.any(Number),
      position: expect.any(String),
      lag_events: expect.any(Number),
      lag_seconds: expect.any(Number),
      parked_streams: 0,
      rebuild: null,
    });
  }
});
