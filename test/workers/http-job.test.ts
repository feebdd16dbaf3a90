import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAddressGuard, isPublicAddress } from '#workers/builtin/address-guard';
import { createHttpJob } from '#workers/builtin/http';
import { httpInput } from '#workers/builtin/http-input';
import { parseRetryAfter } from '#workers/builtin/http-judge';
import type { JobContext } from '#workers/context';
import type { AnyJobDefinition } from '#workers/define-job';
import { snooze } from '#workers/snooze';
import { lease } from './scripted-gateway.ts';

const NOW = Date.UTC(2026, 10, 30, 12);
const clock = { now: () => NOW };

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let server: Server;
let origin: string;
let seen: Seen[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => response.end('ok');

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    answer(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const local = createHttpJob({ allow: ['127.0.0.1'], clock });

async function call(
  input: unknown,
  job: AnyJobDefinition = local,
  signal = new AbortController().signal,
): Promise<unknown> {
  seen = [];
  const { job: snapshot, fencingToken } = lease('0193-job');
  const context: JobContext = {
    job: snapshot,
    attempt: 2,
    fencingToken,
    signal,
    log: pino({ level: 'silent' }),
    checkpoint: null,
    heartbeat: async () => {},
    saveCheckpoint: async () => {},
    snooze,
  };
  return job.run(context, httpInput.parse(input) as never);
}

const failing = (input: unknown, job?: AnyJobDefinition) =>
  call(input, job).then(
    () => {
      throw new Error('it succeeded');
    },
    (error: unknown) => error,
  );

test('2xx is a success that keeps status, headers and body; the called system gets what it needs to fence', async () => {
  answer = (_request, response) => {
    response.writeHead(201, { 'content-type': 'application/json', 'x-private': 'not kept' });
    response.end('{"made":1}');
  };
  const result = await call({ url: `${origin}/make?x=1`, body: { n: 1 }, headers: { 'X-Mine': 'yes' } });
  expect(result).toMatchObject({
    status: 201,
    headers: { 'content-type': 'application/json' },
    body: '{"made":1}',
    truncated: false,
  });
  expect(result).not.toHaveProperty('headers.x-private');
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({
    method: 'POST',
    url: '/make?x=1',
    body: '{"n":1}',
    headers: {
      'x-mine': 'yes',
      'content-type': 'application/json',
      'holdfast-job-id': '0193-job',
      'holdfast-attempt': '2',
      'holdfast-fencing-token': '1',
      'idempotency-key': '0193-job',
    },
  });
});

test('an endless answer is cut at 64 KiB', async () => {
  answer = (_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };
  const result = (await call({ url: origin })) as { body: string; truncated: boolean };
  expect(result.truncated).toBe(true);
  expect(result.body).toHaveLength(65_536);
});

test.each([
  [400, {}, { code: 'http-400', retryable: false, retryAfterSeconds: null }],
  [404, { 'retry-after': '5' }, { code: 'http-404', retryable: false, retryAfterSeconds: null }],
  [429, { 'retry-after': '7' }, { code: 'http-429', retryable: true, retryAfterSeconds: 7 }],
  [503, { 'retry-after': new Date(NOW + 90_000).toUTCString() }, { retryable: true, retryAfterSeconds: 90 }],
  [503, {}, { code: 'http-503', retryable: true, retryAfterSeconds: null }],
  [500, { 'retry-after': '7' }, { code: 'http-500', retryable: true, retryAfterSeconds: null }],
  [304, {}, { code: 'http-304', retryable: false }],
])('%i with %o is a failure that says whether and when to try again', async (status, headers, expected) => {
  answer = (_request, response) => {
    response.writeHead(status, headers);
    response.end(status === 304 ? undefined : 'the reason');
  };
  expect(await failing({ url: origin })).toMatchObject(expected);
});

test.each([
  ['120', 120],
  ['-5', null],
  ['99999999999', 86_400],
  [new Date(NOW - 1000).toUTCString(), 0],
  ['soon', null],
  [undefined, null],
])('Retry-After %s means %s seconds', (value, seconds) => {
  // `-5` is a date to Date.parse of some engines, and in the past then.
  const parsed = parseRetryAfter(value, NOW);
  expect(value === '-5' ? parsed || null : parsed).toBe(seconds);
});

test('a server that is not there is tried again; one that is silent runs into the timeout', async () => {
  const gone = createServer();
  await once(gone.listen(0, '127.0.0.1'), 'listening');
  const { port } = gone.address() as AddressInfo;
  gone.close();
  await once(gone, 'close');
  expect(await failing({ url: `http://127.0.0.1:${port}` })).toMatchObject({ code: 'ECONNREFUSED' });

  answer = () => {};
  expect(await failing({ url: origin, timeout_seconds: 0.1 })).toMatchObject({ code: 'http-timeout', retryable: true });
});

test('the call ends when the handler is told to stop', async () => {
  const stop = new AbortController();
  answer = () => stop.abort(new Error('told to stop'));
  await expect(call({ url: origin }, local, stop.signal)).rejects.toThrow('told to stop');
});

describe('redirects', () => {
  test('are followed, dropping the body where HTTP says so', async () => {
    answer = (request, response) => {
      if (request.url === '/end') return void response.end('arrived');
      response.writeHead(303, { location: '/end' });
      response.end();
    };
    expect(await call({ url: `${origin}/start`, body: 'text' })).toMatchObject({ status: 200, body: 'arrived' });
    expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/start', 'text'],
      ['GET', '/end', ''],
    ]);
  });

  test('end after five', async () => {
    answer = (_request, response) => {
      response.writeHead(302, { location: '/again' });
      response.end();
    };
    expect(await failing({ url: origin })).toMatchObject({ code: 'too-many-redirects', retryable: false });
    expect(seen).toHaveLength(6);
  });

  test('to an address that is refused are refused, and do not carry secrets to another origin', async () => {
    answer = (_request, response) => {
      response.writeHead(307, { location: 'http://[::1]:1/' });
      response.end();
    };
    expect(await failing({ url: origin })).toMatchObject({ code: 'address-refused', retryable: false });

    const both = createHttpJob({ allow: ['127.0.0.1', 'localhost'], clock });
    answer = (request, response) => {
      if (request.url === '/end') return void response.end('arrived');
      response.writeHead(307, { location: `${origin.replace('127.0.0.1', 'localhost')}/end` });
      response.end();
    };
    await call({ url: origin, headers: { authorization: 'Bearer secret', 'x-mine': 'yes' } }, both);
    expect(seen[0]?.headers.authorization).toBe('Bearer secret');
    expect(seen[1]?.headers).toMatchObject({ 'x-mine': 'yes' });
    expect(seen[1]?.headers.authorization).toBeUndefined();
  });
});

describe('addresses that are not public are refused', () => {
  const guarded = createHttpJob({ allow: [], clock });

  test.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://017700000001/',
    'http://0.0.0.0/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://[fd00:ec2::254]/',
    'http://[ff02::1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://localhost/',
  ])('%s', async (url) => {
    expect(await failing({ url }, guarded)).toMatchObject({ code: 'address-refused', retryable: false });
  });

  test.each(['1.1.1.1', '8.8.8.8', '172.32.0.1', '2606:4700:4700::1111'])('but %s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test('a name with one public and one private address is refused', async () => {
    const guard = createAddressGuard([], (_name, _options, callback) =>
      callback(null, [
        { address: '93.184.216.34', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ]),
    );
    const job = createHttpJob({ allow: [], clock, guard });
    expect(await failing({ url: 'http://two-faced.example/' }, job)).toMatchObject({ code: 'address-refused' });
  });

  test('a name that changes its address between two look-ups is judged at the one it is connected to', async () => {
    const port = new URL(origin).port;
    let lookups = 0;
    const guard = createAddressGuard([], (_name, _options, callback) => {
      lookups += 1;
      callback(null, [lookups === 1 ? { address: '93.184.216.34', family: 4 } : { address: '127.0.0.1', family: 4 }]);
    });
    const asked = Promise.withResolvers<string>();
    guard.lookup('rebinding.example', {}, (_error, address) => asked.resolve(String(address)));
    expect(await asked.promise).toBe('93.184.216.34');
    const job = createHttpJob({ allow: [], clock, guard });
    answer = (_request, response) => response.end('inside');
    expect(await failing({ url: `http://rebinding.example:${port}/` }, job)).toMatchObject({ code: 'address-refused' });
    expect(lookups).toBe(2);
    expect(seen).toEqual([]);
  });

  test('a host that is allowed by name may be anywhere', async () => {
    const job = createHttpJob({ allow: ['localhost'], clock });
    answer = (_request, response) => response.end('inside');
    expect(await call({ url: origin.replace('127.0.0.1', 'localhost') }, job)).toMatchObject({ body: 'inside' });
  });
});

test.each([
  { url: 'ftp://example.com/' },
  { url: 'file:///etc/passwd' },
  { url: '/relative' },
  { url: 'http://user:secret@example.com/' },
  { url: 'http://example.com/', headers: { host: 'other.example' } },
  { url: 'http://example.com/', headers: { 'x-a': 'b\r\nx-c: d' } },
  { url: 'http://example.com/', headers: { 'bad name': 'x' } },
  { url: 'http://example.com/', method: 'TRACE' },
  { url: 'http://example.com/', unknown: 1 },
  { url: 'http://example.com/', timeout_seconds: 0 },
])('the payload %o is refused', (payload) => {
  expect(httpInput.safeParse(payload).success).toBe(false);
});
