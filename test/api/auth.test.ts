import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLoopbackHost } from '#api/http/loopback';
import { openRig, type Rig } from './rig.ts';

const KEY = 'a-secret-of-some-length';
const BEARER = { authorization: `Bearer ${KEY}` };

describe('with an admin key', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await openRig({ adminKey: KEY });
  });
  afterAll(() => rig?.close());

  test.each([
    ['GET', '/v1/jobs'],
    ['POST', '/v1/jobs'],
    ['POST', '/v1/leases'],
    ['GET', '/v1/events'],
    ['GET', '/v1/nope'],
    ['DELETE', '/v1/jobs'],
    ['GET', '/metrics'],
    ['GET', '/v1/jobs/%zz'],
    ['GET', `/v1/jobs/${'x'.repeat(500)}`],
    ['GET', '/nothing'],
  ])('%s %s needs it', async (method, path) => {
    for (const headers of [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: KEY },
      { authorization: `Basic ${KEY}` },
    ]) {
      const answer = await rig.call(method, path, undefined, headers as Record<string, string>);
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthorized']);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(answer.headers.get('request-id')).toBe(answer.body.request_id);
    }
  });

  test('is asked for before anything else of a request is looked at', async () => {
    for (const body of ['{', '{"queue":"A"}', 'x'.repeat(2_000_000)]) {
      expect((await rig.call('POST', '/v1/jobs', body)).status).toBe(401);
    }
    expect((await rig.call('POST', '/v1/jobs', 'x', { 'content-type': 'text/plain' })).status).toBe(401);
  });

  test.each(['/healthz', '/readyz', '/version', '/', '/docs/', '/docs/errors/lease-lost', '/openapi.json'])(
    '%s stays open',
    async (path) => {
      expect((await rig.call('GET', path)).status).toBe(200);
    },
  );

  test('lets its bearer in, under its name, from anywhere', async () => {
    const { body } = await rig.expectStatus(202, 'POST', '/v1/jobs', { delay_seconds: 60 }, BEARER);
    const events = await rig.expectStatus(200, 'GET', `/v1/jobs/${body.id}/events`, undefined, BEARER);
    expect(events.body.data[0].metadata.actor).toBe('key:admin');
    expect(await statusOf(rig, 'GET /v1/jobs HTTP/1.1', { Host: 'example.org', Authorization: `Bearer ${KEY}` })).toBe(
      200,
    );
  });
});

describe('without a key', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await openRig();
  });
  afterAll(() => rig?.close());

  test.each([
    ['example.org', undefined, 403],
    ['127.0.0.1.example.org', undefined, 403],
    ['localhost.example.org:8080', undefined, 403],
    ['0.0.0.0', undefined, 403],
    ['localhost', undefined, 202],
    ['LOCALHOST:1234', undefined, 202],
    ['app.localhost', undefined, 202],
    ['[::1]:8080', undefined, 202],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080', 202],
    ['127.0.0.1:8080', 'http://127.0.0.1:8081', 403],
    ['127.0.0.1:8080', 'https://127.0.0.1:8080', 403],
    ['127.0.0.1', 'http://evil.example', 403],
    ['127.0.0.1', 'null', 403],
  ])('Host %s and Origin %s: %i', async (host, origin, status) => {
    const headers = { Host: host, ...(origin !== undefined && { Origin: origin }), 'Content-Length': '0' };
    const before = await rig.eventCount();
    expect(await statusOf(rig, 'POST /v1/jobs HTTP/1.1', headers)).toBe(status);
    expect(await rig.eventCount()).toBe((before ?? 0) + (status === 202 ? 1 : 0));
  });

  test('health answers whoever asks', async () => {
    expect(await statusOf(rig, 'GET /healthz HTTP/1.1', { Host: 'pod.cluster.local' })).toBe(200);
  });
});

test.each([
  ...[
    ['127.0.0.1', true],
    ['127.255.0.3:80', true],
    ['[::1]', true],
    ['localhost', true],
    ['a.localhost:1', true],
  ],
  ...[
    ['', false],
    ['128.0.0.1', false],
    ['127.0.0.1@evil', false],
    ['::1', false],
    ['localhost:x', false],
    ['127.1', false],
  ],
] as const)('%s is loopback: %s', (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected);
});

/** Fetch does not let a test choose Host. */
function statusOf(rig: Rig, line: string, headers: Record<string, string>): Promise<number> {
  const { hostname, port } = new URL(rig.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => resolve(Number(text.slice(9, 12)))).on('error', reject);
    const lines = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
    socket.write([line, ...lines, '', ''].join('\r\n'));
  });
}
