import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createClient } from '#client/client';
import { HoldfastApiError, HoldfastUnreachable } from '#client/errors';
import { readEvents } from '#client/sse';

/* What the client does with answers a good server seldom gives. Against the real server it is run by test/bin/library. */

let server: Server;
let url: string;
let calls: IncomingMessage[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  calls = [];
  server = createServer((request, response) => {
    calls.push(request);
    answer(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
};
const busyOnce =
  (body: unknown, status = 200) =>
  (_request: IncomingMessage, response: ServerResponse) =>
    calls.length === 1 ? json(response, 503, { code: 'unavailable', status: 503 }) : json(response, status, body);

describe('what has the same effect when done twice is asked again', () => {
  test('a read after a 503', async () => {
    answer = busyOnce({ data: [], next_cursor: null });
    expect(await createClient({ url }).listJobs()).toEqual({ data: [], next_cursor: null });
    expect(calls).toHaveLength(2);
  });

  test('a submit with a key after a lost answer, with the same key', async () => {
    answer = (request, response) => (calls.length === 1 ? request.socket.destroy() : json(response, 202, { id: 'j' }));
    const { job, replayed } = await createClient({ url }).submitJob({ type: 'x' }, { idempotencyKey: 'k' });
    expect(job.id).toBe('j');
    expect(replayed).toBe(false);
    expect(calls.map(({ headers }) => headers['idempotency-key'])).toEqual(['k', 'k']);
  });
});

describe('anything else is not', () => {
  test('a submit without a key', async () => {
    answer = (request) => request.socket.destroy();
    await expect(createClient({ url }).submitJob({ type: 'x' })).rejects.toBeInstanceOf(HoldfastUnreachable);
    expect(calls).toHaveLength(1);
  });

  test('a refusal', async () => {
    const problem = { type: '/x', title: 'No', status: 409, code: 'not-dead', detail: 'it lives' };
    answer = (_request, response) => json(response, 409, problem, { 'request-id': 'r-1' });
    const error = await createClient({ url })
      .getJob('j')
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HoldfastApiError);
    expect(error).toMatchObject({ status: 409, code: 'not-dead', message: 'it lives', requestId: 'r-1', problem });
    expect(calls).toHaveLength(1);
  });
});

test('a page of some proxy is an error with its status, not a crash', async () => {
  answer = (_request, response) => {
    response.writeHead(502, { 'content-type': 'text/html' });
    response.end('<h1>Bad gateway</h1>');
  };
  await expect(createClient({ url }).getJob('j')).rejects.toMatchObject({ status: 502, code: 'http-502' });
});

test('a server that says nothing is given up after the timeout', async () => {
  answer = () => {};
  const client = createClient({ url, timeoutMs: 100 });
  await expect(client.submitJob({ type: 'x' })).rejects.toBeInstanceOf(HoldfastUnreachable);
});

test('the feed goes on from the last event it handed out when its connection breaks', async () => {
  answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const position = calls.length;
    response.write(`retry: 10\n\nid: p${position}\ndata: {"position":"p${position}"}\n\n`);
    if (calls.length < 3) setImmediate(() => response.destroy());
  };
  const stop = new AbortController();
  const seen: string[] = [];
  for await (const event of createClient({ url, apiKey: 'secret' }).followEvents({
    event: ['Succeeded', 'Failed'],
    signal: stop.signal,
  })) {
    seen.push(event.position);
    if (seen.length === 3) stop.abort();
  }
  expect(seen).toEqual(['p1', 'p2', 'p3']);
  expect(calls.map(({ url: path }) => new URL(path ?? '', url).searchParams.get('after'))).toEqual([null, 'p1', 'p2']);
  expect(new URL(calls[0]?.url ?? '', url).searchParams.getAll('event')).toEqual(['Succeeded', 'Failed']);
  expect(calls[0]?.headers.authorization).toBe('Bearer secret');
});

test('server-sent events are read the same however the bytes are cut', async () => {
  const text =
    ': ping\r\n\r\nretry: 50\n\nid: 1\ndata: {"a":"ü"}\ndata: more\n\nevent: resync\ndata:\n\nid: 2\r\ndata: x\r\n\r\n';
  const bytes = new TextEncoder().encode(text);
  const read = async (size: number) => {
    const items = [];
    async function* cut() {
      for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
    }
    for await (const item of readEvents(cut())) items.push(item);
    return items;
  };
  const whole = await read(bytes.length);
  expect(whole).toEqual([
    { kind: 'retry', ms: 50 },
    { kind: 'event', event: { id: '1', event: 'message', data: '{"a":"ü"}\nmore' } },
    { kind: 'event', event: { id: null, event: 'resync', data: '' } },
    { kind: 'event', event: { id: '2', event: 'message', data: 'x' } },
  ]);
  for (const size of [1, 2, 3, 7]) expect(await read(size)).toEqual(whole);
});
