import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig?.close());

const newType = () => `t${crypto.randomUUID()}`;

async function submit(type: string, request: object = {}): Promise<string> {
  return (await rig.expectStatus(202, 'POST', '/v1/jobs', { type, ...request })).body.id;
}

const lease = (type: string, request: object = {}) =>
  rig.call('POST', '/v1/leases', { worker_id: 'w1', types: [type], ...request });

const job = async (id: string) => (await rig.expectStatus(200, 'GET', `/v1/jobs/${id}`)).body;

describe('a lease call', () => {
  test('answers with the job, its token and its lease, as long as the claim asked for', async () => {
    const type = newType();
    const id = await submit(type, { payload: { a: 1 } });
    const { body, headers } = await lease(type, { lease_seconds: 60 });
    expect(body.leases).toHaveLength(1);
    const [given] = body.leases;
    expect(given).toEqual({
      job: await job(id),
      fencing_token: 1,
      lease_expires_at: given.job.lease.expires_at,
      lease_seconds: 60,
    });
    expect(given.job).toMatchObject({ status: 'running', attempt: 1, payload: { a: 1 }, lease: { worker_id: 'w1' } });
    expect(Date.parse(given.lease_expires_at) - Date.parse(given.job.started_at)).toBe(60_000);
    expect(headers.get('holdfast-position')).toMatch(/^[0-9a-f]{24}$/);
  });

  test('shows in the worker list how many leases each worker holds, whoever gave them out', async () => {
    const type = newType();
    await Promise.all([submit(type), submit(type)]);
    const leased = await lease(type, { worker_id: 'counted', max_jobs: 2 });
    const runningAt = async ({ headers }: { headers: Headers }) => {
      const url = `/v1/workers?min_position=${headers.get('holdfast-position')}`;
      const workers = (await rig.expectStatus(200, 'GET', url)).body.data;
      return workers.find((worker: { worker_id: string }) => worker.worker_id === 'counted').running;
    };
    expect(await runningAt(leased)).toBe(2);
    const [first] = leased.body.leases;
    const done = await rig.expectStatus(200, 'POST', `/v1/jobs/${first.job.id}/complete`, { fencing_token: 1 });
    expect(await runningAt(done)).toBe(1);
  });

  test('with nothing due answers an empty list, with a position', async () => {
    const { status, body, headers } = await lease(newType());
    expect([status, body]).toEqual([200, { leases: [] }]);
    expect(headers.get('holdfast-position')).toMatch(/^[0-9a-f]{24}$/);
  });

  test('takes the most urgent first, only of what it asks for', async () => {
    const type = newType();
    const [low, high] = [await submit(type), await submit(type, { priority: 10 })];
    await submit(type, { queue: 'other' });
    const { body } = await lease(type, { queues: ['default'], max_jobs: 10 });
    expect(body.leases.map((one: { job: { id: string } }) => one.job.id)).toEqual([high, low]);
  });

  test('waits for work and is woken by it', async () => {
    const type = newType();
    const started = performance.now();
    const waiting = lease(type, { wait_seconds: 30 });
    await until('the call waits', async () => (await lease(type)).body.leases.length === 0);
    const id = await submit(type);
    expect((await waiting).body.leases[0].job.id).toBe(id);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test('waits for a job that will be due within the wait', async () => {
    const type = newType();
    const id = await submit(type, { delay_seconds: 1 });
    const { body } = await lease(type, { wait_seconds: 30 });
    expect(body.leases[0].job.id).toBe(id);
  });

  test('ends when its wait is over', async () => {
    const started = performance.now();
    expect((await lease(newType(), { wait_seconds: 1 })).body).toEqual({ leases: [] });
    expect(performance.now() - started).toBeGreaterThan(900);
  });

  test('of a client that went away claims nothing for it', async () => {
    const type = newType();
    const { hostname, port } = new URL(rig.url);
    const ghost = httpRequest({
      hostname,
      port,
      path: '/v1/leases',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    ghost.on('error', () => undefined);
    ghost.end(JSON.stringify({ worker_id: 'ghost', types: [type], wait_seconds: 60 }));
    await until('the call waits', async () => {
      const { body } = await rig.call('GET', '/v1/workers');
      return body.data?.some(({ worker_id }: { worker_id: string }) => worker_id === 'ghost');
    });
    ghost.destroy();
    await until('the server has seen it leave', () => rig.app.server.listening);
    const id = await submit(type);
    await until('somebody else gets the job', async () => (await lease(type)).body.leases[0]?.job.id === id);
    expect((await job(id)).lease.worker_id).toBe('w1');
  });

  test('repeated with its request_id gets the same leases; another worker is refused', async () => {
    const type = newType();
    const id = await submit(type);
    await submit(type);
    const request = { request_id: crypto.randomUUID() };
    const first = await lease(type, request);
    const again = await lease(type, request);
    expect(first.body.leases[0].job.id).toBe(id);
    expect(again.body.leases).toEqual(first.body.leases);
    const other = await lease(type, { ...request, worker_id: 'w2' });
    expect([other.status, other.body.code]).toEqual([409, 'idempotency-key-reused']);
  });
});

describe('reports under a fencing token', () => {
  test('heartbeat extends the lease, keeps progress and tells of a cancel', async () => {
    const type = newType();
    const id = await submit(type, { lease_seconds: 5 });
    const { body: leased } = await lease(type);
    const beat = () =>
      rig.expectStatus(200, 'POST', `/v1/jobs/${id}/heartbeat`, {
        ...{ fencing_token: 1, progress: { done: 5 }, checkpoint: [1] },
      });
    const { body } = await beat();
    expect(body).toEqual({ lease_expires_at: expect.any(String), cancel_requested: false });
    expect(Date.parse(body.lease_expires_at)).toBeGreaterThanOrEqual(Date.parse(leased.leases[0].lease_expires_at));
    expect(await job(id)).toMatchObject({ progress: { done: 5 }, checkpoint: [1] });
    await rig.expectStatus(202, 'POST', `/v1/jobs/${id}/cancel`);
    expect((await beat()).body.cancel_requested).toBe(true);
    const acknowledged = await rig.expectStatus(200, 'POST', `/v1/jobs/${id}/release`, { fencing_token: 1 });
    expect(acknowledged.body.status).toBe('cancelled');
  });

  test.each([
    ['heartbeat', {}],
    ['complete', { result: 1 }],
    ['fail', { error: { message: 'late' } }],
    ['release', {}],
  ])('%s of a lease that was lost is refused and writes nothing', async (name, body) => {
    const type = newType();
    const id = await submit(type, { retry: { strategy: 'fixed', delay_seconds: 0 } });
    await lease(type);
    await rig.expectStatus(200, 'POST', `/v1/jobs/${id}/release`, { fencing_token: 1, reason: 'shutdown' });
    const { body: second } = await lease(type, { worker_id: 'w2', wait_seconds: 5 });
    expect(second.leases[0].fencing_token).toBe(2);
    const before = await rig.eventCount();
    const late = await rig.expectStatus(409, 'POST', `/v1/jobs/${id}/${name}`, { fencing_token: 1, ...body });
    expect(late.body.code).toBe('lease-lost');
    expect(await rig.eventCount()).toBe(before);
    await rig.expectStatus(200, 'POST', `/v1/jobs/${id}/complete`, { fencing_token: 2, result: { by: 'w2' } });
  });

  test('of a worker that was silent past its lease, whose job another finished, are all refused', async () => {
    const type = newType();
    const id = await submit(type, { lease_seconds: 5, retry: { strategy: 'fixed', delay_seconds: 0 } });
    expect((await lease(type, { worker_id: 'frozen' })).body.leases).toHaveLength(1);
    await until('the lease is over and another worker has the job', async () => {
      const [given] = (await lease(type, { worker_id: 'second', wait_seconds: 10 })).body.leases;
      return given?.job.id === id && given.fencing_token === 2;
    });
    await rig.expectStatus(200, 'POST', `/v1/jobs/${id}/complete`, { fencing_token: 2, result: 'second' });
    const reports = [
      ['heartbeat', { progress: 1 }],
      ['complete', { result: 'frozen' }],
      ['fail', { error: { message: 'frozen' } }],
      ['release', {}],
    ] as const;
    for (const [action, fields] of reports) {
      const refused = await rig.expectStatus(409, 'POST', `/v1/jobs/${id}/${action}`, { fencing_token: 1, ...fields });
      expect(refused.body.code).toBe('lease-lost');
    }
    expect(await job(id)).toMatchObject({ status: 'succeeded', result: 'second', progress: null, version: 4 });
    const { data } = (await rig.call('GET', `/v1/jobs/${id}/events`)).body;
    expect(
      data.map(({ type: name, metadata }: { type: string; metadata: { actor: string } }) => [name, metadata.actor]),
    ).toEqual([
      ['Submitted', 'anonymous'],
      ['Claimed', 'worker:frozen'],
      ['Failed', 'system:sweeper'],
      ['Claimed', 'worker:second'],
      ['Succeeded', 'worker:second'],
    ]);
  });

  test('an outcome repeated word for word is 200, even after the job went on', async () => {
    const type = newType();
    const id = await submit(type, { retry: { strategy: 'fixed', delay_seconds: 0 } });
    await lease(type);
    const fail = { fencing_token: 1, error: { message: 'once' } };
    await rig.expectStatus(200, 'POST', `/v1/jobs/${id}/fail`, fail);
    await lease(type, { wait_seconds: 5 });
    const before = await rig.eventCount();
    expect((await rig.expectStatus(200, 'POST', `/v1/jobs/${id}/fail`, fail)).body.status).toBe('running');
    expect(await rig.eventCount()).toBe(before);
    const changed = { ...fail, error: { message: 'another' } };
    await rig.expectStatus(409, 'POST', `/v1/jobs/${id}/fail`, changed);
  });

  test('fail tells when to try again, or that it is pointless', async () => {
    const type = newType();
    const [id, pointless] = [await submit(type), await submit(type)];
    await lease(type, { max_jobs: 2 });
    const { body } = await rig.expectStatus(200, 'POST', `/v1/jobs/${id}/fail`, {
      ...{ fencing_token: 1, error: { message: 'busy', code: 'EBUSY' }, retry_after_seconds: 100.5 },
    });
    expect(Date.parse(body.scheduled_at) - Date.parse(body.updated_at)).toBe(100_500);
    expect(body.last_error).toEqual({
      message: 'busy',
      code: 'EBUSY',
      stack: null,
      retryable: true,
      why: 'error',
      attempt: 1,
      at: body.updated_at,
    });
    const { body: ended } = await rig.expectStatus(200, 'POST', `/v1/jobs/${pointless}/fail`, {
      ...{ fencing_token: 1, error: { message: 'no such file' }, retryable: false },
    });
    expect(ended).toMatchObject({ status: 'dead', dead_reason: 'not-retryable' });
  });

  test('error text is cut, and refused where it cannot be stored; large values are 413', async () => {
    const type = newType();
    const id = await submit(type);
    await lease(type);
    const path = `/v1/jobs/${id}`;
    const large = { fencing_token: 1, result: 'x'.repeat(256 * 1024) };
    const refused = await rig.expectStatus(413, 'POST', `${path}/complete`, large);
    expect(refused.body).toMatchObject({ code: 'payload-too-large', errors: [{ pointer: '/result' }] });
    const progress = { fencing_token: 1, progress: 'x'.repeat(16 * 1024), checkpoint: 'x'.repeat(16 * 1024) };
    const beat = await rig.expectStatus(413, 'POST', `${path}/heartbeat`, progress);
    expect(beat.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/progress', '/checkpoint']);
    const unstorable = { message: 'a\u0000', stack: '\ud800', code: '\u0000' };
    const named = await rig.expectStatus(400, 'POST', `${path}/fail`, { fencing_token: 1, error: unstorable });
    expect(named.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual([
      '/error/code',
      '/error/message',
      '/error/stack',
    ]);
    expect(await job(id)).toMatchObject({ status: 'running', version: 1, last_error: null });
    const error = { message: `<img src=x>${'ä'.repeat(20_000)}`, stack: 'at <script>' };
    const { body } = await rig.expectStatus(200, 'POST', `${path}/fail`, { fencing_token: 1, error });
    expect(Buffer.byteLength(body.last_error.message)).toBeLessThanOrEqual(16 * 1024);
    expect(body.last_error.message).toMatch(/^<img src=x>ä.*\[cut, \d+ bytes in all\]$/s);
    expect(body.last_error.stack).toBe('at <script>');
  });
});

describe('outcomes', () => {
  test('are judged each alone and answered in order', async () => {
    const type = newType();
    const ids = [await submit(type), await submit(type), await submit(type), await submit(type)];
    const { body: leased } = await lease(type, { max_jobs: 4 });
    expect(leased.leases).toHaveLength(4);
    const outcomes = [
      { job_id: ids[0], fencing_token: 1, action: 'complete', result: { n: 1 } },
      { job_id: ids[1], fencing_token: 9, action: 'complete' },
      { job_id: 'nope', fencing_token: 1, action: 'release' },
      { job_id: ids[1], fencing_token: 1, action: 'explode' },
      { job_id: ids[1], fencing_token: 1, action: 'fail', error: { message: 'x' }, retryable: false },
      { job_id: ids[2], fencing_token: 1, action: 'release' },
      { job_id: ids[3], fencing_token: 1, action: 'heartbeat', progress: 5 },
      { job_id: ids[3], fencing_token: 1, action: 'complete', result: 'x'.repeat(256 * 1024) },
    ];
    const { body, headers } = await rig.expectStatus(200, 'POST', '/v1/leases/outcomes', { outcomes });
    const seen = body.results.map(
      ({ job: one, problem }: Record<string, Record<string, string>>) => one?.status ?? problem?.code,
    );
    expect(seen).toEqual([
      ...['succeeded', 'lease-lost', 'not-found', 'invalid-request', 'dead', 'pending', 'running', 'payload-too-large'],
    ]);
    expect(body.results.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(body.results[0].job).not.toHaveProperty('result');
    expect(body.results[3].problem.errors[0].pointer).toBe('/outcomes/3/action');
    expect(body.results[6].job.lease.worker_id).toBe('w1');
    expect(headers.get('holdfast-position')).toMatch(/^[0-9a-f]{24}$/);
    const { rows } = await rig.pool.query(
      `SELECT DISTINCT metadata ->> 'actor' AS actor FROM events WHERE stream = $1 AND version > 0`,
      [`job-${ids[0]}`],
    );
    expect(rows).toEqual([{ actor: 'worker:w1' }]);
  });

  test('with a number that JSON readers change are refused alone; the others are recorded', async () => {
    const type = newType();
    const ids = [await submit(type), await submit(type)];
    await lease(type, { max_jobs: 2 });
    const [bad, good] = ids.map((id) => `"job_id":"${id}","fencing_token":1,"action":"complete"`);
    const sent = `{"outcomes":[{${bad},"result":100000000000000000000,"x":1},{${good},"result":1}]}`;
    const { body } = await rig.expectStatus(200, 'POST', '/v1/leases/outcomes', sent);
    expect(body.results[0].problem.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/outcomes/0/result',
      '/outcomes/0/x',
    ]);
    expect(body.results[1].job.status).toBe('succeeded');
  });

  test('may be none, may not be 1,001', async () => {
    expect((await rig.expectStatus(200, 'POST', '/v1/leases/outcomes', { outcomes: [] })).body).toEqual({
      results: [],
    });
    await rig.expectStatus(400, 'POST', '/v1/leases/outcomes', { outcomes: Array(1001).fill(1) });
  });
});
