import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { type Answer, openRig, type Rig } from './rig.ts';

let rig: Rig;
let jobId: string;

beforeAll(async () => {
  rig = await openRig();
  jobId = (await rig.expectStatus(202, 'POST', '/v1/jobs', { type: 'noop', delay_seconds: 3600 })).body.id;
});
afterAll(() => rig?.close());

/** What every refusal has to be. */
function expectProblem(answer: Answer, status: number, code: string): void {
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(answer.headers.get('request-id')).toBe(answer.body.request_id);
  expect(answer.body).toEqual({
    type: `/docs/errors/${code}`,
    title: expect.any(String),
    status,
    code,
    detail: expect.any(String),
    instance: expect.any(String),
    request_id: expect.any(String),
    errors: expect.any(Array),
  });
  expect(answer.status).toBe(status);
}

const placesOf = ({ body }: Answer) =>
  body.errors.map((error: Record<string, string>) => error.pointer ?? error.parameter ?? error.header);

/** Nothing was written, nothing broke. */
async function expectUntouched(before: number | undefined): Promise<void> {
  expect(await rig.eventCount()).toBe(before);
  expect(rig.logged.filter(({ level }) => level >= 50)).toEqual([]);
  expect((await rig.call('GET', '/healthz')).status).toBe(200);
}

const payload = (text: string) => `{"payload":{"v":${text}}}`;
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('a submit is refused by name of its field', () => {
  test.each<[string, string[]]>([
    ['null', ['']],
    ['[]', ['']],
    ['"x"', ['']],
    ['{"type":"noop",}', ['']],
    ['{"type":', ['']],
    [payload('9007199254740993'), ['/payload/v']],
    [payload('1970670598291982290'), ['/payload/v']],
    [payload('1e400'), ['/payload/v']],
    [payload('1e-400'), ['/payload/v']],
    [payload('-0'), ['/payload/v']],
    [payload('{"__proto__":{"polluted":1}}'), ['/payload/v/__proto__']],
    [payload('{"a":1,"a":2}'), ['/payload/v/a']],
    [payload('"a\\u0000b"'), ['/payload/v']],
    [payload('"\\ud800"'), ['/payload/v']],
    [payload('{"\\udc00":1}'), ['/payload/v/\ufffd']],
    ['{"payload":[1]}', ['/payload']],
    ['{"payload":null}', ['/payload']],
    ['{"payload":"x"}', ['/payload']],
    ['{"__proto__":{}}', ['/__proto__']],
    ['{"constructor":{}}', ['/constructor']],
    ['{"toString":1}', ['/toString']],
    ['{"":1}', ['/']],
    ['{"unknown":1,"queue":"A b","priority":"5"}', ['/queue', '/priority', '/unknown']],
    ['{"queue":""}', ['/queue']],
    ['{"queue":"a/b"}', ['/queue']],
    ['{"queue":"\\u0000"}', ['/queue']],
    ['{"queue":null}', ['/queue']],
    ['{"queue":["a"]}', ['/queue']],
    ['{"type":"-x"}', ['/type']],
    ['{"type":1}', ['/type']],
    ...['null', '"5"', '""', '[3]', 'true', '1.5', '1e3', '-101'].map((value): [string, string[]] => [
      `{"priority":${value}}`,
      ['/priority'],
    ]),
    ...['null', '-1', '-0.001', '-1e15', '1e308', '"1e3"', '"5"', 'true', '[]'].map((value): [string, string[]] => [
      `{"delay_seconds":${value}}`,
      ['/delay_seconds'],
    ]),
    ...['"2026-02-30T00:00:00Z"', '"12"', '""', 'null', '0', '1796000000', '"2026-11-30"', '"2026-11-30T12:00:00"'].map(
      (value): [string, string[]] => [`{"scheduled_at":${value}}`, ['/scheduled_at']],
    ),
    ['{"scheduled_at":"+300000-01-01T00:00:00Z"}', ['/scheduled_at']],
    ['{"scheduled_at":"2026-11-30T12:00:00Z","delay_seconds":1}', ['/delay_seconds']],
    ['{"max_attempts":0}', ['/max_attempts']],
    ['{"max_attempts":-1}', ['/max_attempts']],
    ['{"max_attempts":101}', ['/max_attempts']],
    ['{"max_crashes":0}', ['/max_crashes']],
    ['{"lease_seconds":4}', ['/lease_seconds']],
    ['{"lease_seconds":3601}', ['/lease_seconds']],
    ['{"timeout_seconds":0}', ['/timeout_seconds']],
    ['{"tags":"vip"}', ['/tags']],
    ['{"tags":["a",1,""]}', ['/tags/1', '/tags/2']],
    [`{"tags":${JSON.stringify(Array(17).fill('a'))}}`, ['/tags']],
    ['{"retry":{"strategy":"fixed"}}', ['/retry/delay_seconds']],
    ['{"retry":{"strategy":"fixed","delay_seconds":-5}}', ['/retry/delay_seconds']],
    ['{"retry":{"strategy":"exponential","factor":0,"cap_seconds":1e12}}', ['/retry/factor', '/retry/cap_seconds']],
    ['{"retry":{"strategy":"never"}}', ['/retry/strategy']],
    ['{"queue":"A b","payload":{"a":9007199254740993,"b":-0},"x":1}', ['/queue', '/payload/a', '/payload/b', '/x']],
    ['{"priority":1e400,"payload":{"__proto__":1},"tags":"x"}', ['/priority', '/payload/__proto__', '/tags']],
  ])('%s', async (body, places) => {
    const before = await rig.eventCount();
    const answer = await rig.call('POST', '/v1/jobs', body);
    expectProblem(answer, 400, 'invalid-request');
    expect(placesOf(answer).sort()).toEqual(places.sort());
    await expectUntouched(before);
  });

  test('nested 5,000 and 100,000 levels deep', async () => {
    const before = await rig.eventCount();
    for (const depth of [101, 5000, 100_000]) {
      const answer = await rig.call('POST', '/v1/jobs', payload(nested(depth)));
      expectProblem(answer, 400, 'invalid-request');
      expect(placesOf(answer)[0]).toMatch(/^\/payload\/v/);
    }
    await expectUntouched(before);
  });

  test('bytes that are not UTF-8', async () => {
    const before = await rig.eventCount();
    const answer = await rig.call('POST', '/v1/jobs', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]));
    expectProblem(answer, 400, 'invalid-request');
    await expectUntouched(before);
  });

  test('a payload over 256 KiB, and a body over 1 MiB', async () => {
    const before = await rig.eventCount();
    const large = await rig.call('POST', '/v1/jobs', { payload: { v: 'x'.repeat(256 * 1024) } });
    expectProblem(large, 413, 'payload-too-large');
    expect(placesOf(large)).toEqual(['/payload']);
    expectProblem(
      await rig.call('POST', '/v1/jobs', { payload: { v: 'x'.repeat(1100 * 1024) } }),
      413,
      'payload-too-large',
    );
    await expectUntouched(before);
    await rig.expectStatus(202, 'POST', '/v1/jobs', {
      payload: { v: 'x'.repeat(256 * 1024 - 8) },
      delay_seconds: 3600,
    });
  });

  test.each(['text/plain', 'application/xml', 'application/jsonx', 'application/json; charset=latin1', 'nonsense'])(
    'a body of type %s',
    async (type) => {
      const before = await rig.eventCount();
      const answer = await rig.call('POST', '/v1/jobs', '{}', { 'content-type': type });
      expectProblem(answer, 415, 'unsupported-media-type');
      expect(placesOf(answer)).toEqual(['Content-Type']);
      await expectUntouched(before);
    },
  );

  test.each(['', 'with space', 'ümlaut', 'x'.repeat(256)])('the Idempotency-Key %j', async (key) => {
    const before = await rig.eventCount();
    const answer = await rig.call('POST', '/v1/jobs', '{"queue":"A"}', { 'Idempotency-Key': key });
    expectProblem(answer, 400, 'invalid-request');
    expect(placesOf(answer)).toEqual(['Idempotency-Key', '/queue']);
    await expectUntouched(before);
  });

  test('a body that says it is compressed', async () => {
    const before = await rig.eventCount();
    const answer = await rig.call('POST', '/v1/jobs', '{}', { 'content-encoding': 'gzip' });
    expectProblem(answer, 415, 'unsupported-media-type');
    expect(placesOf(answer)).toEqual(['Content-Encoding']);
    await expectUntouched(before);
  });

  test('two Idempotency-Keys, and a body without a type', async () => {
    const before = await rig.eventCount();
    const twice = await raw('POST /v1/jobs HTTP/1.1', [
      'Idempotency-Key: a',
      'Idempotency-Key: b',
      'Content-Length: 0',
    ]);
    expect(twice).toMatch(/^HTTP\/1.1 400 /);
    expect(twice).toContain('"header":"Idempotency-Key"');
    const untyped = await raw('POST /v1/jobs HTTP/1.1', ['Content-Length: 2'], '{}');
    expect(untyped).toMatch(/^HTTP\/1.1 415 /);
    await expectUntouched(before);
  });
});

test('names like those of every object are values like any other', async () => {
  const sent = { type: 'constructor', queue: 'constructor', tags: ['__proto__', 'toString'] };
  const payload = { constructor: { prototype: 1 }, hasOwnProperty: 2, toString: 'x', '': 0, b: 1, a: 2 };
  const { body } = await rig.expectStatus(202, 'POST', '/v1/jobs', { ...sent, payload, delay_seconds: 3600 });
  const { body: job } = await rig.call('GET', `/v1/jobs/${body.id}`);
  expect(job).toMatchObject(sent);
  expect(JSON.stringify(job.payload)).toBe(JSON.stringify(payload));
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

describe('a query string is refused by name of its parameter', () => {
  test.each<[string, string[]]>([
    ['/v1/jobs?limit=0', ['limit']],
    ['/v1/jobs?limit=201', ['limit']],
    ['/v1/jobs?limit=-1', ['limit']],
    ['/v1/jobs?limit=1e9', ['limit']],
    ['/v1/jobs?limit=10abc', ['limit']],
    ['/v1/jobs?limit=%205', ['limit']],
    ['/v1/jobs?limit=', ['limit']],
    ['/v1/jobs?limit=5&limit=6', ['limit']],
    ['/v1/jobs?limit=51&include=payload', ['limit']],
    ['/v1/jobs?include=payload,secret', ['include']],
    ['/v1/jobs?status=a&status=dead', ['status']],
    ['/v1/jobs?status[]=dead', ['status[]']],
    ['/v1/jobs?status=pending,dead', ['status']],
    ['/v1/jobs?queue=A&type=-&tag=', ['queue', 'type', 'tag']],
    ['/v1/jobs?queue=%27%3B--', ['queue']],
    ['/v1/jobs?tag=%00', ['tag']],
    [`/v1/jobs?tag=${'x'.repeat(65)}`, ['tag']],
    ['/v1/jobs?created_after=2026-02-30T00:00:00Z&created_before=12', ['created_after', 'created_before']],
    ['/v1/jobs?sort=name', ['sort']],
    ['/v1/jobs?limit=51&include=payload&queue=A', ['limit', 'queue']],
    ['/v1/jobs?as_of=2026-11-30T12:00:00Z&sort=-updated_at&x=1', ['sort', 'x']],
    ['/v1/jobs?acknowledged=1', ['acknowledged']],
    ['/v1/jobs?constructor=1&__proto__=2&toString=3', ['constructor', '__proto__', 'toString']],
    ['/v1/jobs?tag=%ff', ['']],
    ['/v1/events?after=nope', ['after']],
    ['/v1/events?after=00000000ffffffffffffffff', ['after']],
    ['/v1/events?limit=1001&wait=61', ['limit', 'wait']],
    ['/v1/events?event=Nope&event=Claimed', ['event']],
    ['/v1/queues?x=1', ['x']],
    ['/healthz?x=1', ['x']],
  ])('%s', async (path, places) => {
    const answer = await rig.call('GET', path);
    expectProblem(answer, 400, 'invalid-request');
    expect(placesOf(answer).sort()).toEqual(places.sort());
    expect(answer.body.errors.every((error: object) => 'parameter' in error)).toBe(true);
  });

  test.each<[string, string[]]>([
    ['?wait=-1', ['wait']],
    ['?wait=0.5', ['wait']],
    ['?wait=61', ['wait']],
    ['?version=-1', ['version']],
    ['?version=x&as_of=yesterday', ['version', 'as_of']],
    ['?version=0&as_of=2026-11-30T12:00:00Z', ['as_of']],
    ['?version=0&wait=1', ['wait']],
    ['?version=0&as_of=2026-11-30T12:00:00Z&wait=1&min_position=', ['min_position', 'as_of', 'wait']],
    ['?min_position=zzz', ['min_position']],
    ['/events?limit=0', ['limit']],
    ['/events?cursor=zzz', ['cursor']],
    ['/explain?x=1', ['x']],
  ])('of a job: %s', async (query, places) => {
    const answer = await rig.call('GET', `/v1/jobs/${jobId}${query}`);
    expectProblem(answer, 400, 'invalid-request');
    expect(placesOf(answer)).toEqual(places);
  });
});

describe('a command is refused by name of its field', () => {
  test.each<[string, string, string, string[]]>([
    ['POST', '/cancel', '{"reason":1}', ['/reason']],
    ['POST', '/cancel', '{"why":"x"}', ['/why']],
    ['POST', '/cancel', `{"reason":"${'x'.repeat(1025)}"}`, ['/reason']],
    ['POST', '/replay', '{"payload":[],"max_attempts":0}', ['/payload', '/max_attempts']],
    ['POST', '/acknowledge', '{"reason":"\\u0000"}', ['/reason']],
    ['PATCH', '', '{}', ['']],
    ['PATCH', '', '{"priority":null}', ['/priority']],
    ['PATCH', '', '{"delay_seconds":-1,"type":"x"}', ['/delay_seconds', '/type']],
    ['PATCH', '', '{"delay_seconds":1,"scheduled_at":"2026-11-30T12:00:00Z"}', ['/delay_seconds']],
    ['POST', '/heartbeat', '{}', ['/fencing_token']],
    ['POST', '/heartbeat', '{"fencing_token":"1"}', ['/fencing_token']],
    ['POST', '/complete', '{"fencing_token":0}', ['/fencing_token']],
    ['POST', '/complete', '{"fencing_token":1,"result":{"a":9007199254740993}}', ['/result/a']],
    ['POST', '/fail', '{"fencing_token":1}', ['/error']],
    ['POST', '/fail', '{"fencing_token":1,"error":{"message":1,"x":2}}', ['/error/message', '/error/x']],
    ['POST', '/fail', '{"fencing_token":1,"error":{"message":"m"},"retryable":"no"}', ['/retryable']],
    ['POST', '/release', '{"fencing_token":1.5,"delay_seconds":1e308}', ['/fencing_token', '/delay_seconds']],
  ])('%s %s %s', async (method, path, body, places) => {
    const before = await rig.eventCount();
    const answer = await rig.call(method, `/v1/jobs/${jobId}${path}`, body);
    expectProblem(answer, 400, 'invalid-request');
    expect(placesOf(answer).sort()).toEqual(places.sort());
    await expectUntouched(before);
  });

  test.each<[unknown, string[]]>([
    [{}, ['/worker_id']],
    [{ worker_id: '' }, ['/worker_id']],
    [{ worker_id: 'x'.repeat(129) }, ['/worker_id']],
    [{ worker_id: 'w', queues: [], types: 'noop' }, ['/queues', '/types']],
    [{ worker_id: 'w', queues: ['a', 'B'] }, ['/queues/1']],
    [
      { worker_id: 'w', max_jobs: 0, lease_seconds: 1, wait_seconds: 61 },
      ['/max_jobs', '/lease_seconds', '/wait_seconds'],
    ],
    [{ worker_id: 'w', max_jobs: '5', request_id: '' }, ['/max_jobs', '/request_id']],
  ])('POST /v1/leases %j', async (body, places) => {
    const before = await rig.eventCount();
    const answer = await rig.call('POST', '/v1/leases', body);
    expectProblem(answer, 400, 'invalid-request');
    expect(placesOf(answer).sort()).toEqual(places.sort());
    await expectUntouched(before);
  });

  test.each(['W/"0"', '0', '"x"', '"0", "1"', '"-1"'])('If-Match: %s', async (tag) => {
    const before = await rig.eventCount();
    const answer = await rig.call('POST', `/v1/jobs/${jobId}/cancel`, undefined, { 'If-Match': tag });
    expectProblem(answer, 400, 'invalid-request');
    expect(placesOf(answer)).toEqual(['If-Match']);
    await expectUntouched(before);
  });
});

describe('a path that names nothing is 404', () => {
  test.each([
    ...['/v1/jobs/nope', '/v1/jobs/00000000-0000-7000-8000-000000000000', `/v1/jobs/${'x'.repeat(5000)}`, '/v1/nope'],
    ...[
      '/v1/jobs/00000000-0000-7000-8000-000000000000/events',
      '/v1/jobs/nope/explain',
      '/docs/errors/nope',
      '/v1/queues/A',
    ],
    ...['/v1/schedules', '/v1/keys', '/constructor', '/__proto__', "/v1/jobs/'%20OR%201=1--", '/v1/jobs/', '/V1/jobs'],
  ])('%s', async (path) => {
    expectProblem(await rig.call('GET', path), 404, 'not-found');
  });

  test.each(['cancel', 'replay', 'acknowledge', 'complete', 'fail', 'release', 'heartbeat'])(
    '%s of no job',
    async (name) => {
      const body = { complete: { fencing_token: 1 }, heartbeat: { fencing_token: 1 }, release: { fencing_token: 1 } }[
        name
      ];
      const fail = { fencing_token: 1, error: { message: 'm' } };
      const path = `/v1/jobs/00000000-0000-7000-8000-000000000000/${name}`;
      expectProblem(await rig.call('POST', path, body ?? (name === 'fail' ? fail : {})), 404, 'not-found');
    },
  );
});

describe('HTTP itself', () => {
  test('another method is 405 with Allow', async () => {
    const answer = await rig.call('DELETE', '/v1/jobs');
    expectProblem(answer, 405, 'method-not-allowed');
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
    expect((await rig.call('PUT', `/v1/jobs/${jobId}`)).headers.get('allow')).toBe('GET, HEAD, PATCH');
    expect((await rig.call('GET', '/v1/leases')).headers.get('allow')).toBe('POST');
    expect((await rig.call('POST', '/v1/jobs/bulk/x', 'text', { 'content-type': 'text/plain' })).status).toBe(404);
  });

  test('a path that is not percent-encoded UTF-8 is 400', async () => {
    expectProblem(await rig.call('GET', '/v1/jobs/%ff'), 400, 'invalid-request');
    expectProblem(await rig.call('GET', '/v1/jobs/%zz'), 400, 'invalid-request');
  });

  test('headers beyond 16 KiB and text that is not HTTP are answered as problems', async () => {
    const large = await raw('GET /healthz HTTP/1.1', [`X: ${'x'.repeat(20_000)}`]);
    expect(large).toMatch(/^HTTP\/1.1 431 /);
    expect(large).toContain('application/problem+json');
    const nonsense = await raw('nonsense', []);
    expect(nonsense).toMatch(/^HTTP\/1.1 400 /);
    expect(nonsense).toContain('"code":"invalid-request"');
    await expectUntouched(await rig.eventCount());
  });

  test.each<[string, string[], number, string]>([
    ['no Host', [], 400, 'Host'],
    ['two Hosts', ['Host: localhost', 'Host: example.com'], 400, 'Host'],
    [
      'two types of one body',
      ['Host: localhost', 'Content-Type: application/json', 'Content-Type: a/b'],
      400,
      'Content-Type',
    ],
    ['two keys', ['Host: localhost', 'Authorization: Bearer a', 'Authorization: Bearer b'], 400, 'Authorization'],
    ['an expectation nobody knows', ['Host: localhost', 'Expect: a miracle'], 417, 'Expect'],
  ])('%s is refused by name, with a Request-Id', async (_what, headers, status, header) => {
    const before = await rig.eventCount();
    const answer = await rawRequest(['POST /v1/jobs HTTP/1.1', 'Connection: close', 'Content-Length: 0', ...headers]);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/^request-id: \S+\r$/im);
    expect(answer).toContain('application/problem+json');
    expect(answer).toContain(`"errors":[{"header":"${header}"`);
    await expectUntouched(before);
  });

  test('a body that is too large is answered while the client still sends, not cut off', async () => {
    const before = await rig.eventCount();
    const { hostname, port } = new URL(rig.url);
    const socket = connect(Number(port), hostname);
    const [length, rest] = [8 * 1024 * 1024, Buffer.alloc(64 * 1024, 'x')];
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.write(`POST /v1/jobs HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\n`);
    socket.write(`Content-Length: ${length}\r\n\r\n`);
    await until('the answer', () => answer.includes('"code":"payload-too-large"'));
    for (let sent = 0; sent < length; sent += rest.length) {
      await new Promise<void>((resolve, reject) => socket.write(rest, (error) => (error ? reject(error) : resolve())));
    }
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    await once(socket, 'end');
    expect(answer).toMatch(/^HTTP\/1.1 413 .*HTTP\/1.1 200 /s);
    await expectUntouched(before);
  });

  test('a sane Request-Id is kept, any other replaced', async () => {
    const ids = ['mine-1', 'x'.repeat(129), 'with space', 'ü'];
    const answers = await Promise.all(ids.map((id) => rig.call('GET', '/v1/nope', undefined, { 'Request-Id': id })));
    const [kept, ...made] = answers.map(({ headers }) => headers.get('request-id'));
    expect(kept).toBe('mine-1');
    for (const id of made) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });
});

/** Sends what fetch would not. */
function raw(line: string, headers: readonly string[], body = ''): Promise<string> {
  return rawRequest([line, 'Host: 127.0.0.1', 'Connection: close', ...headers], body);
}

function rawRequest(lines: readonly string[], body = ''): Promise<string> {
  const { hostname, port } = new URL(rig.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => resolve(text)).on('error', reject);
    socket.write([...lines, '', body].join('\r\n'));
  });
}
