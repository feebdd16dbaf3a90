import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig?.close());

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const POSITION = /^[0-9a-f]{24}$/;

/** Submits and claims one job of a type of its own. */
async function claimed(request: object = {}) {
  const type = `t${crypto.randomUUID()}`;
  await rig.expectStatus(202, 'POST', '/v1/jobs', { type, ...request });
  const { body } = await rig.expectStatus(200, 'POST', '/v1/leases', { worker_id: 'w1', types: [type] });
  return body.leases[0];
}

async function dead() {
  const lease = await claimed({ max_attempts: 1 });
  const { body } = await rig.expectStatus(200, 'POST', `/v1/jobs/${lease.job.id}/fail`, {
    fencing_token: 1,
    error: { message: 'boom' },
  });
  return body;
}

describe('submit', () => {
  test('answers 202 with every field of a job, its version, its place and its position', async () => {
    const { body, headers } = await rig.expectStatus(202, 'POST', '/v1/jobs', {
      type: 'image.resize',
      payload: { path: 'a.png' },
      tags: ['vip'],
      scheduled_at: '2030-01-01T01:00:00.1234+01:00',
    });
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{14}7[0-9a-f-]{21}$/),
      type: 'image.resize',
      queue: 'default',
      status: 'pending',
      version: 0,
      priority: 0,
      tags: ['vip'],
      payload: { path: 'a.png' },
      result: null,
      progress: null,
      checkpoint: null,
      created_at: expect.stringMatching(INSTANT),
      updated_at: body.created_at,
      scheduled_at: '2030-01-01T00:00:00.123Z',
      started_at: null,
      finished_at: null,
      expires_at: null,
      lease_seconds: 30,
      timeout_seconds: null,
      attempt: 0,
      max_attempts: 5,
      crashes: 0,
      max_crashes: 5,
      releases: 0,
      replays: 0,
      fencing_token: 0,
      lease: null,
      cancel: null,
      retry: { strategy: 'exponential', base_seconds: 1, factor: 2, cap_seconds: 3600, jitter: 0.5 },
      last_error: null,
      dead_reason: null,
      acknowledged: false,
      idempotency_key: null,
      concurrency_key: null,
      unique: null,
      origin: { kind: 'api', schedule: null, occurrence_at: null, job_id: null },
    });
    expect(headers.get('location')).toBe(`/v1/jobs/${body.id}`);
    expect(headers.get('etag')).toBe('"0"');
    expect(headers.get('holdfast-position')).toMatch(POSITION);
    expect(headers.get('holdfast-warning')).toBe('no-worker');
    expect((await rig.call('GET', `/v1/jobs/${body.id}`)).body).toEqual(body);
  });

  test('takes an empty body and no body', async () => {
    for (const body of [undefined, '', '{}']) {
      const answer = await rig.expectStatus(202, 'POST', '/v1/jobs', body);
      expect(answer.body).toMatchObject({ type: 'default', queue: 'default', payload: {} });
    }
  });

  test('200 at once with one key make one job', async () => {
    const key = crypto.randomUUID();
    const send = () => rig.call('POST', '/v1/jobs', { payload: { a: 1, b: 2 } }, { 'Idempotency-Key': key });
    const answers = await Promise.all(Array.from({ length: 200 }, send));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    const replayed = answers.filter(({ status }) => status === 200);
    expect(replayed).toHaveLength(199);
    for (const { headers } of replayed) expect(headers.get('idempotency-replayed')).toBe('true');
  });

  test('the same key with another request is 409 and leaves the first job alone', async () => {
    const key = crypto.randomUUID();
    const headers = { 'Idempotency-Key': key };
    const { body: job } = await rig.expectStatus(202, 'POST', '/v1/jobs', '{"payload":{"a":1,"b":2}}', headers);
    await rig.expectStatus(200, 'POST', '/v1/jobs', '{"payload": {"b":2.0, "a":1}}', headers);
    const { body } = await rig.expectStatus(409, 'POST', '/v1/jobs', '{"payload":{"a":1,"b":3}}', headers);
    expect(body.code).toBe('idempotency-key-reused');
    expect(body.detail).toContain(job.id);
    await rig.expectStatus(409, 'POST', '/v1/jobs', { payload: { a: 1, b: 2 }, queue: 'other' }, headers);
    expect((await rig.call('GET', `/v1/jobs/${job.id}`)).body).toEqual(job);
  });
});

describe('bulk submit', () => {
  test('judges each item alone and names the bad ones', async () => {
    const key = crypto.randomUUID();
    await rig.expectStatus(202, 'POST', '/v1/jobs', { type: 'a' }, { 'Idempotency-Key': key });
    const jobs = [
      { type: 'b' },
      { queue: 'A', priority: '1' },
      { type: 'a', idempotency_key: key },
      { type: 'c', idempotency_key: key },
      7,
      { type: 'd', idempotency_key: '' },
      { payload: { v: 'x'.repeat(256 * 1024) } },
    ];
    const { body, headers } = await rig.expectStatus(202, 'POST', '/v1/jobs/bulk', { jobs });
    expect(body).toMatchObject({ created: 1, refused: 5 });
    expect(body.results.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      ...['created', 'invalid', 'replayed', 'conflict', 'invalid', 'invalid', 'invalid'],
    ]);
    expect(body.results[0]).toMatchObject({ index: 0, problem: null, job: { type: 'b' } });
    expect(body.results[0].job).not.toHaveProperty('payload');
    expect(body.results[1].problem).toMatchObject({ code: 'invalid-request', status: 400 });
    expect(body.results[1].problem.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      ...['/jobs/1/queue', '/jobs/1/priority'],
    ]);
    expect(body.results[3]).toMatchObject({ job: null, problem: { code: 'idempotency-key-reused' } });
    expect(body.results[4].problem.errors[0].pointer).toBe('/jobs/4');
    expect(body.results[5].problem.errors[0].pointer).toBe('/jobs/5/idempotency_key');
    expect(body.results[6].problem).toMatchObject({
      code: 'payload-too-large',
      errors: [{ pointer: '/jobs/6/payload' }],
    });
    expect(headers.get('holdfast-position')).toMatch(POSITION);
  });

  test("a header's key gives each item one of its own, which a submit by itself can use", async () => {
    const key = crypto.randomUUID();
    const jobs = [{ type: 'a' }, { type: 'b', idempotency_key: `${key}-own` }];
    const first = await rig.expectStatus(202, 'POST', '/v1/jobs/bulk', { jobs }, { 'Idempotency-Key': key });
    const again = await rig.expectStatus(202, 'POST', '/v1/jobs/bulk', { jobs }, { 'Idempotency-Key': key });
    const keys = first.body.results.map(({ job }: { job: { idempotency_key: string } }) => job.idempotency_key);
    expect(keys).toEqual([`${key}#0`, `${key}-own`]);
    expect(again.body).toMatchObject({ created: 0, refused: 0 });
    const alone = await rig.expectStatus(200, 'POST', '/v1/jobs', { type: 'a' }, { 'Idempotency-Key': `${key}#0` });
    expect(alone.body.id).toBe(first.body.results[0].job.id);
    const tooLong = { 'Idempotency-Key': 'x'.repeat(254) };
    await rig.expectStatus(400, 'POST', '/v1/jobs/bulk', { jobs }, tooLong);
  });

  test('one key twice in a bulk is one job, or a conflict', async () => {
    const [same, other] = [crypto.randomUUID(), crypto.randomUUID()];
    const jobs = [
      { type: 'a', idempotency_key: same },
      { type: 'a', idempotency_key: same },
      { type: 'a', idempotency_key: other },
      { type: 'b', idempotency_key: other },
    ];
    const { body } = await rig.expectStatus(202, 'POST', '/v1/jobs/bulk', { jobs });
    expect(body.results.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      ...['created', 'replayed', 'created', 'conflict'],
    ]);
    expect(body.results[1].job.id).toBe(body.results[0].job.id);
  });

  test('atomic goes in whole or not at all', async () => {
    const key = crypto.randomUUID();
    const before = await rig.eventCount();
    const bad = { jobs: [{ type: 'a' }, { queue: 'A' }, { priority: 1000 }], atomic: true };
    const { body } = await rig.expectStatus(400, 'POST', '/v1/jobs/bulk', bad);
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/jobs/1/queue',
      '/jobs/2/priority',
    ]);
    expect(await rig.eventCount()).toBe(before);
    const good = { jobs: [{ type: 'a', idempotency_key: key }, { type: 'b' }], atomic: true };
    expect((await rig.expectStatus(202, 'POST', '/v1/jobs/bulk', good)).body).toMatchObject({ created: 2, refused: 0 });
    const clash = { jobs: [{ type: 'x' }, { type: 'c', idempotency_key: key }], atomic: true };
    expect((await rig.expectStatus(409, 'POST', '/v1/jobs/bulk', clash)).body.errors[0].pointer).toBe(
      '/jobs/1/idempotency_key',
    );
    expect(await rig.eventCount()).toBe((before ?? 0) + 2);
  });

  test('atomic names every key that was used for another request', async () => {
    const keys = [crypto.randomUUID(), crypto.randomUUID()];
    const jobs = (type: string) => keys.map((idempotency_key) => ({ type, idempotency_key }));
    await rig.expectStatus(202, 'POST', '/v1/jobs/bulk', { jobs: jobs('a'), atomic: true });
    const { body } = await rig.expectStatus(409, 'POST', '/v1/jobs/bulk', { jobs: jobs('b'), atomic: true });
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/jobs/0/idempotency_key',
      '/jobs/1/idempotency_key',
    ]);
  });

  test('what text cannot carry in one item is the fault of that item alone', async () => {
    const [before, deep] = [await rig.eventCount(), `${'['.repeat(300)}${']'.repeat(300)}`];
    const bad = ['{"a":9007199254740993}', '{"a":1,"a":2}', '{"__proto__":{}}', `{"a":${deep}}`];
    const items = [...bad.map((payload) => `{"queue":"A","payload":${payload}}`), '{"type":"fine"}'];
    const { body } = await rig.expectStatus(202, 'POST', '/v1/jobs/bulk', `{"jobs":[${items.join(',')}]}`);
    expect(body.results.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      ...bad.map(() => 'invalid'),
      'created',
    ]);
    expect(
      body.results
        .slice(0, 3)
        .map(({ problem }: { problem: { errors: { pointer: string }[] } }) =>
          problem.errors.map(({ pointer }) => pointer).sort(),
        ),
    ).toEqual([
      ['/jobs/0/payload/a', '/jobs/0/queue'],
      ['/jobs/1/payload/a', '/jobs/1/queue'],
      ['/jobs/2/payload/__proto__', '/jobs/2/queue'],
    ]);
    expect(await rig.eventCount()).toBe((before ?? 0) + 1);
    const twice = `{"jobs":[{"payload":{"a":-0}},{}],"jobs":[{}]}`;
    const refused = await rig.expectStatus(400, 'POST', '/v1/jobs/bulk', twice);
    expect(refused.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/jobs']);
    const endless = `{"jobs":[{"payload":{"a":[${Array(1000).fill('-0').join(',')}]}},{}]}`;
    expect((await rig.expectStatus(400, 'POST', '/v1/jobs/bulk', endless)).body.errors).toHaveLength(20);
    expect(await rig.eventCount()).toBe((before ?? 0) + 1);
  });

  test('takes none, refuses 1,001', async () => {
    expect((await rig.expectStatus(202, 'POST', '/v1/jobs/bulk', { jobs: [] })).body).toEqual({
      ...{ created: 0, refused: 0, results: [] },
    });
    await rig.expectStatus(400, 'POST', '/v1/jobs/bulk', { jobs: Array(1001).fill({}) });
    await rig.expectStatus(400, 'POST', '/v1/jobs/bulk', {});
  });
});

describe('get', () => {
  test('tells 304 when the client has the version', async () => {
    const { body } = await rig.expectStatus(202, 'POST', '/v1/jobs', {});
    const path = `/v1/jobs/${body.id}`;
    for (const tag of ['"0"', 'W/"0"', '"7", "0"', '*']) {
      const answer = await rig.expectStatus(304, 'GET', path, undefined, { 'If-None-Match': tag });
      expect(answer.headers.get('etag')).toBe('"0"');
    }
    await rig.expectStatus(200, 'GET', path, undefined, { 'If-None-Match': '"1"' });
  });

  test('shows the job as it was at a version or an instant', async () => {
    const { job, fencing_token } = await claimed();
    const path = `/v1/jobs/${job.id}`;
    await rig.expectStatus(200, 'POST', `${path}/complete`, { fencing_token, result: { n: 1 } });
    expect((await rig.call('GET', `${path}?version=0`)).body).toMatchObject({ status: 'pending', version: 0 });
    expect((await rig.call('GET', `${path}?version=1`)).body).toMatchObject({ status: 'running', result: null });
    expect((await rig.call('GET', `${path}?version=2`)).body).toMatchObject({ status: 'succeeded', result: { n: 1 } });
    expect((await rig.expectStatus(404, 'GET', `${path}?version=3`)).body.detail).toContain('its last is 2');
    expect((await rig.expectStatus(404, 'GET', `${path}?as_of=2020-01-01T00:00:00Z`)).body.detail).toContain(
      'not there yet',
    );
    expect((await rig.call('GET', `${path}?as_of=2999-01-01T00:00:00%2B01:00`)).body.version).toBe(2);
    expect((await rig.call('GET', `${path}?as_of=${job.created_at}`)).body.status).toBe('pending');
  });

  test('waits for the end, and is woken by it', async () => {
    const { job, fencing_token } = await claimed();
    const started = performance.now();
    const waiting = rig.call('GET', `/v1/jobs/${job.id}?wait=30`);
    await rig.expectStatus(200, 'POST', `/v1/jobs/${job.id}/complete`, { fencing_token });
    expect((await waiting).body.status).toBe('succeeded');
    expect(performance.now() - started).toBeLessThan(3000);
    expect((await rig.call('GET', `/v1/jobs/${job.id}?wait=30`)).body.status).toBe('succeeded');
  });

  test('answers with the job as it is when the wait is over', async () => {
    const { body } = await rig.expectStatus(202, 'POST', '/v1/jobs', { delay_seconds: 3600 });
    expect((await rig.expectStatus(200, 'GET', `/v1/jobs/${body.id}?wait=1`)).body.status).toBe('pending');
  });

  test('takes a position of this log, whatever tables do', async () => {
    const { body, headers } = await rig.expectStatus(202, 'POST', '/v1/jobs', {});
    await rig.expectStatus(200, 'GET', `/v1/jobs/${body.id}?min_position=${headers.get('holdfast-position')}`);
  });
});

describe('events of a job', () => {
  test('are its whole history with all metadata', async () => {
    const { job, fencing_token } = await claimed();
    await rig.expectStatus(200, 'POST', `/v1/jobs/${job.id}/complete`, { fencing_token }, { 'Request-Id': 'req-9' });
    const { body } = await rig.expectStatus(200, 'GET', `/v1/jobs/${job.id}/events`);
    expect(body.next_cursor).toBeNull();
    expect(body.data.map(({ type, version }: { type: string; version: number }) => [version, type])).toEqual([
      [0, 'Submitted'],
      [1, 'Claimed'],
      [2, 'Succeeded'],
    ]);
    expect(body.data[2]).toEqual({
      version: 2,
      type: 'Succeeded',
      recorded_at: expect.stringMatching(INSTANT),
      position: expect.stringMatching(POSITION),
      data: { result: null },
      metadata: {
        event_id: expect.any(String),
        schema_version: 1,
        actor: 'worker:w1',
        request_id: 'req-9',
        $correlationId: expect.any(String),
        $causationId: body.data[1].metadata.event_id,
        traceparent: null,
      },
    });
  });

  test('come in pages whose cursor belongs to the job and cannot be changed', async () => {
    const { job } = await claimed();
    const path = `/v1/jobs/${job.id}/events`;
    const first = (await rig.call('GET', `${path}?limit=1`)).body;
    expect(first.data).toHaveLength(1);
    const second = (await rig.call('GET', `${path}?limit=1&cursor=${first.next_cursor}`)).body;
    expect(second).toMatchObject({ data: [{ version: 1 }], next_cursor: null });
    const other = await claimed();
    await rig.expectStatus(400, 'GET', `/v1/jobs/${other.job.id}/events?cursor=${first.next_cursor}`);
    for (const cursor of [
      first.next_cursor.slice(0, -1),
      `${first.next_cursor}A`,
      first.next_cursor.replace(/^../, 'Mg'),
    ]) {
      expect((await rig.expectStatus(400, 'GET', `${path}?cursor=${cursor}`)).body.errors[0].parameter).toBe('cursor');
    }
  });
});

describe('cancel', () => {
  test('of a pending job is done, of a running one asked, of a finished one refused', async () => {
    const { body: pending } = await rig.expectStatus(202, 'POST', '/v1/jobs', {});
    const cancelled = await rig.expectStatus(200, 'POST', `/v1/jobs/${pending.id}/cancel`, { reason: 'no' });
    expect(cancelled.body).toMatchObject({ status: 'cancelled', cancel: { actor: 'anonymous', reason: 'no' } });
    await rig.expectStatus(200, 'POST', `/v1/jobs/${pending.id}/cancel`);

    const { job, fencing_token } = await claimed();
    const asked = await rig.expectStatus(202, 'POST', `/v1/jobs/${job.id}/cancel`);
    expect(asked.body).toMatchObject({ status: 'running', version: 2, cancel: { reason: null } });
    expect((await rig.expectStatus(202, 'POST', `/v1/jobs/${job.id}/cancel`)).body.version).toBe(2);
    await rig.expectStatus(200, 'POST', `/v1/jobs/${job.id}/complete`, { fencing_token });
    expect((await rig.expectStatus(409, 'POST', `/v1/jobs/${job.id}/cancel`)).body.code).toBe('already-final');
  });
});

describe('replay and acknowledge', () => {
  test('are for dead jobs only', async () => {
    const { body: job } = await rig.expectStatus(202, 'POST', '/v1/jobs', {});
    for (const [name, body] of [
      ['replay', {}],
      ['acknowledge', {}],
      ['replay', { payload: {} }],
    ] as const) {
      expect((await rig.expectStatus(409, 'POST', `/v1/jobs/${job.id}/${name}`, body)).body.code).toBe('not-dead');
    }
  });

  test('replay starts a new cycle and keeps the history', async () => {
    const job = await dead();
    expect(job).toMatchObject({
      status: 'dead',
      dead_reason: 'attempts',
      last_error: { message: 'boom', why: 'error' },
    });
    const path = `/v1/jobs/${job.id}`;
    expect((await rig.expectStatus(200, 'POST', `${path}/acknowledge`)).body).toMatchObject({
      ...{ status: 'dead', acknowledged: true },
    });
    const { body, headers } = await rig.expectStatus(202, 'POST', `${path}/replay`, {
      reason: 'again',
      max_attempts: 3,
    });
    expect(body).toMatchObject({
      id: job.id,
      status: 'pending',
      attempt: 0,
      max_attempts: 3,
      replays: 1,
      fencing_token: 1,
    });
    expect(headers.get('location')).toBe(path);
  });

  test('replay with a payload answers with a new job that names the old one', async () => {
    const job = await dead();
    const { body, headers } = await rig.expectStatus(202, 'POST', `/v1/jobs/${job.id}/replay`, { payload: { n: 2 } });
    expect(body).toMatchObject({ status: 'pending', type: job.type, payload: { n: 2 } });
    expect(body.origin).toEqual({ kind: 'replay-as-new', schedule: null, occurrence_at: null, job_id: job.id });
    expect(body.id).not.toBe(job.id);
    expect(headers.get('location')).toBe(`/v1/jobs/${body.id}`);
    const large = { payload: { v: 'x'.repeat(256 * 1024) } };
    expect((await rig.expectStatus(413, 'POST', `/v1/jobs/${job.id}/replay`, large)).body.errors[0].pointer).toBe(
      '/payload',
    );
  });
});

describe('reschedule', () => {
  test('moves a pending job in time and rank', async () => {
    const { body: job } = await rig.expectStatus(202, 'POST', '/v1/jobs', { delay_seconds: 3600 });
    const path = `/v1/jobs/${job.id}`;
    const at = await rig.expectStatus(200, 'PATCH', path, { scheduled_at: '9999-12-31T23:59:59.999Z', priority: 7 });
    expect(at.body).toMatchObject({ scheduled_at: '9999-12-31T23:59:59.999Z', priority: 7, version: 1 });
    const now = (await rig.expectStatus(200, 'PATCH', path, { delay_seconds: 0 })).body;
    expect(now.priority).toBe(7);
    expect(Math.abs(Date.parse(now.scheduled_at) - Date.parse(now.updated_at))).toBeLessThan(1000);
    const { job: running } = await claimed();
    expect((await rig.expectStatus(409, 'PATCH', `/v1/jobs/${running.id}`, { priority: 1 })).body.code).toBe(
      'not-pending',
    );
  });
});

test('If-Match guards every change of a job', async () => {
  const { body: job } = await rig.expectStatus(202, 'POST', '/v1/jobs', { delay_seconds: 3600 });
  const path = `/v1/jobs/${job.id}`;
  const stale = { 'If-Match': '"7"' };
  for (const [method, tail, body] of [
    ['PATCH', '', { priority: 1 }],
    ['POST', '/cancel', {}],
    ['POST', '/replay', {}],
    ['POST', '/replay', { payload: {} }],
    ['POST', '/acknowledge', {}],
    ['POST', '/complete', { fencing_token: 1 }],
  ] as const) {
    const answer = await rig.expectStatus(412, method, path + tail, body, stale);
    expect(answer.body.code).toBe('version-mismatch');
    expect(answer.headers.get('etag')).toBe('"0"');
  }
  await rig.expectStatus(200, 'PATCH', path, { priority: 1 }, { 'If-Match': '"0"' });
  await rig.expectStatus(200, 'POST', `${path}/cancel`, {}, { 'If-Match': '*' });
});

describe('explain', () => {
  const explain = async (id: string) => (await rig.expectStatus(200, 'GET', `/v1/jobs/${id}/explain`)).body;

  test('tells where a job is and why', async () => {
    const { body: later } = await rig.expectStatus(202, 'POST', '/v1/jobs', { delay_seconds: 3600 });
    expect(await explain(later.id)).toEqual({
      job_id: later.id,
      status: 'pending',
      code: 'due-later',
      message: expect.stringContaining(later.scheduled_at),
      until: later.scheduled_at,
      causes: [],
    });
    const { body: due } = await rig.expectStatus(202, 'POST', '/v1/jobs', { type: 'nobody' });
    expect(await explain(due.id)).toMatchObject({ code: 'no-worker', until: null });
    const { job } = await claimed();
    expect(await explain(job.id)).toMatchObject({ code: 'leased', until: job.lease.expires_at });
    expect(await explain((await dead()).id)).toMatchObject({ code: 'final', status: 'dead' });
  });

  test('tells why it ran more than once', async () => {
    const { job } = await claimed({ retry: { strategy: 'fixed', delay_seconds: 0 } });
    const path = `/v1/jobs/${job.id}`;
    await rig.expectStatus(200, 'POST', `${path}/fail`, { fencing_token: 1, error: { message: 'first' } });
    await rig.expectStatus(200, 'POST', '/v1/leases', { worker_id: 'w2', types: [job.type], wait_seconds: 5 });
    await rig.expectStatus(200, 'POST', `${path}/release`, { fencing_token: 2, reason: 'shutdown' });
    await rig.expectStatus(200, 'POST', '/v1/leases', { worker_id: 'w2', types: [job.type], wait_seconds: 5 });
    const retry = { fencing_token: 3, error: { message: 'third' }, retry_after_seconds: 600 };
    await rig.expectStatus(200, 'POST', `${path}/fail`, retry);
    const explained = await explain(job.id);
    expect(explained).toMatchObject({ code: 'retry-wait', message: expect.stringContaining('third') });
    expect(explained.causes.map(({ code, message }: Record<string, string>) => [code, message])).toEqual([
      ['error', 'first'],
      ['released', 'shutdown'],
      ['error', 'third'],
    ]);
  });

  test('tells of a lease that is over before anybody has ended it', async () => {
    const late = await openRig({ clock: { now: () => Date.now() + 3_600_000 } });
    try {
      const { body: job } = await late.expectStatus(202, 'POST', '/v1/jobs', {});
      await late.expectStatus(200, 'POST', '/v1/leases', { worker_id: 'w1' });
      const { body } = await late.expectStatus(200, 'GET', `/v1/jobs/${job.id}/explain`);
      expect(body.code).toBe('lease-overdue');
    } finally {
      await late.close();
    }
  });
});

test('HTTP requests are timed by route pattern, and what met no route in one bucket', async () => {
  await Promise.all(Array.from({ length: 50 }, (_, n) => rig.call('GET', `/nothing/${n}`)));
  await Promise.all(Array.from({ length: 50 }, () => rig.call('GET', `/v1/jobs/${crypto.randomUUID()}`)));
  await until('the requests are counted', async () => {
    const { body } = await rig.call('GET', '/metrics');
    return body.includes('route="unmatched"') && body.includes('route="/v1/jobs/:id"');
  });
  const { body, headers } = await rig.call('GET', '/metrics');
  expect(headers.get('content-type')).toMatch(/^text\/plain/);
  const routes = new Set(
    [...body.matchAll(/http_request_duration_seconds_count\{route="([^"]*)"/g)].map(([, route]) => route),
  );
  expect([...routes].filter((route) => route.includes('nothing') || /[0-9a-f]{8}-/.test(route))).toEqual([]);
  expect(body).toMatch(/holdfast_jobs_submitted_total \d+/);
});
