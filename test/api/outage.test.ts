import { afterAll, beforeAll, expect, test } from 'vitest';
import { openProxy } from '../support/proxy.ts';
import { until } from '../support/until.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
let proxy: Awaited<ReturnType<typeof openProxy>>;
let target: string;
beforeAll(async () => {
  rig = await openRig({
    route: async (connectionString) => {
      target = connectionString;
      proxy = await openProxy(connectionString);
      return proxy.url;
    },
  });
});
afterAll(async () => {
  await rig?.close();
  await proxy?.close();
});

const CALLS: [string, string, unknown?][] = [
  ['POST', '/v1/jobs', {}],
  ['POST', '/v1/jobs/bulk', { jobs: [{}] }],
  ['GET', '/v1/jobs'],
  ['GET', '/v1/events'],
  ['GET', '/v1/queues'],
  ['POST', '/v1/leases', { worker_id: 'w1', wait_seconds: 1 }],
];

test('while the database is gone every call is 503 in time, and all is well again after it', async () => {
  const { body: job } = await rig.expectStatus(202, 'POST', '/v1/jobs', { delay_seconds: 3600 });
  await rig.expectStatus(200, 'GET', '/readyz');
  const waiting = rig.call('GET', `/v1/jobs/${job.id}?wait=60`);
  await proxy.close();

  const calls: [string, string, unknown?][] = [
    ...CALLS,
    ['GET', `/v1/jobs/${job.id}`],
    ['GET', `/v1/jobs/${job.id}/events`],
    ['POST', `/v1/jobs/${job.id}/cancel`],
    ['POST', `/v1/jobs/${job.id}/complete`, { fencing_token: 1 }],
  ];
  const started = performance.now();
  const answers = await Promise.all(calls.map((call) => rig.call(...call)));
  expect(performance.now() - started).toBeLessThan(15_000);
  for (const { status, body, headers } of [...answers, await waiting]) {
    expect([status, body.code]).toEqual([503, 'unavailable']);
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
  }
  expect((await rig.call('GET', '/healthz')).status).toBe(200);
  expect((await rig.call('GET', '/metrics')).status).toBe(200);
  const red = await rig.expectStatus(503, 'GET', '/readyz');
  expect(red.headers.get('retry-after')).toBe('1');
  expect(red.body).toEqual({
    status: 'not-ready',
    checks: [
      { name: 'postgres', ok: false, detail: expect.any(String) },
      { name: 'server', ok: true, detail: null },
    ],
  });

  proxy = await openProxy(target, proxy.port);
  await until('readiness is green again', async () => (await rig.call('GET', '/readyz')).status === 200, 15_000);
  for (const call of calls.slice(0, 8)) {
    await until(`${call[0]} ${call[1]} works`, async () => (await rig.call(...call)).status < 300, 15_000);
  }
  expect(rig.logged.filter(({ level }) => level >= 50)).toEqual([]);
}, 60_000);

test('while the database hangs a call is 503 in time, and the next ones work when it is back', async () => {
  const { body: job } = await rig.expectStatus(202, 'POST', '/v1/jobs', { delay_seconds: 3600 });
  proxy.freeze();
  const started = performance.now();
  const calls: [string, string, unknown?][] = [
    ['POST', '/v1/jobs', {}],
    ['GET', `/v1/jobs/${job.id}`],
    ['GET', '/v1/jobs'],
  ];
  const answers = await Promise.all(calls.map((call) => rig.call(...call)));
  expect(performance.now() - started).toBeLessThan(20_000);
  for (const { status } of answers) expect([200, 202, 503]).toContain(status);
  expect(answers.some(({ status }) => status === 503)).toBe(true);
  expect((await rig.call('GET', '/healthz')).status).toBe(200);
  const submits = async () => (await rig.call('POST', '/v1/jobs', { delay_seconds: 3600 })).status === 202;
  await until('submits work again', submits, 40_000);
  expect(rig.logged.filter(({ level }) => level >= 50)).toEqual([]);
}, 90_000);
