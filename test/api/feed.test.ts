import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig?.close());

interface CloudEvent {
  readonly position: string;
  readonly subject: string;
  readonly type: string;
  readonly [attribute: string]: unknown;
}

const submit = async (request: object) => (await rig.expectStatus(202, 'POST', '/v1/jobs', request)).body;
const now = async () => (await rig.expectStatus(200, 'GET', '/v1/events?limit=1')).body && (await rig.log.head());
const page = async (query: string) => (await rig.expectStatus(200, 'GET', `/v1/events?${query}`)).body;

describe('the feed as JSON', () => {
  test('shows CloudEvents of jobs, with all attributes that apply', async () => {
    const after = await now();
    const job = await submit({ type: 'a', queue: 'q', payload: { n: 1 } });
    await rig.expectStatus(200, 'POST', '/v1/leases', { worker_id: 'w1', queues: ['q'] });
    const { data, next_after } = await page(`after=${after}`);
    expect(data).toHaveLength(2);
    expect(data[0]).toMatchObject({ type: 'holdfast.job.submitted.v1', streamversion: 0, data: { payload: { n: 1 } } });
    expect(data[1]).toMatchObject({
      specversion: '1.0',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      source: 'holdfast',
      type: 'holdfast.job.claimed.v1',
      subject: job.id,
      time: expect.stringMatching(/\.\d{3}Z$/),
      datacontenttype: 'application/json',
      position: next_after,
      streamversion: 1,
      jobtype: 'a',
      queue: 'q',
      actor: 'worker:w1',
      causationid: data[0].id,
      data: { worker_id: 'w1', attempt: 1, fencing_token: 1 },
    });
    expect(Object.keys(data[1]).every((name) => /^[a-z0-9]+$/.test(name))).toBe(true);
  });

  test('is walked page by page without a gap, and next_after is there at the end, too', async () => {
    const after = await now();
    const ids: string[] = [];
    for (let n = 0; n < 7; n += 1) ids.push((await submit({ type: `walk${n}` })).id);
    const seen: string[] = [];
    for (let next = after; ; ) {
      const { data, next_after } = await page(`after=${next}&limit=3`);
      expect(next_after).toMatch(/^[0-9a-f]{24}$/);
      if (data.length === 0) break;
      seen.push(...data.map(({ subject }: CloudEvent) => subject));
      next = next_after;
    }
    expect(seen).toEqual(ids);
  });

  test('begins with the log, and knows an empty one', async () => {
    const empty = await openRig();
    try {
      const { body } = await empty.expectStatus(200, 'GET', '/v1/events');
      expect(body).toEqual({ data: [], next_after: expect.stringMatching(/^[0-9a-f]{24}$/) });
      const { body: job } = await empty.expectStatus(202, 'POST', '/v1/jobs', {});
      const { body: second } = await empty.expectStatus(200, 'GET', `/v1/events?after=${body.next_after}`);
      expect(second.data[0].subject).toBe(job.id);
    } finally {
      await empty.close();
    }
  });

  test('is filtered by queue, type, event and actor, each any of', async () => {
    const after = await now();
    const [a, b] = [await submit({ type: 'fa', queue: 'fq' }), await submit({ type: 'fb', queue: 'fr' })];
    await submit({ type: 'fc', queue: 'fs' });
    await rig.expectStatus(200, 'POST', `/v1/jobs/${b.id}/cancel`);
    await rig.expectStatus(200, 'POST', '/v1/leases', { worker_id: 'f1', queues: ['fq'] });
    const subjects = async (filter: string) =>
      (await page(`after=${after}&${filter}`)).data.map(({ subject, type }: CloudEvent) => [
        subject,
        type.split('.')[2],
      ]);
    expect(await subjects('queue=fq&queue=fr&event=Submitted')).toEqual([
      [a.id, 'submitted'],
      [b.id, 'submitted'],
    ]);
    expect(await subjects('type=fb')).toEqual([
      [b.id, 'submitted'],
      [b.id, 'cancelled'],
    ]);
    expect(await subjects('event=Cancelled&event=Claimed')).toEqual([
      [b.id, 'cancelled'],
      [a.id, 'claimed'],
    ]);
    expect(await subjects('actor=worker:f1')).toEqual([[a.id, 'claimed']]);
    expect((await page(`after=${after}&type=nothing`)).data).toEqual([]);
  });

  test('waits for what has not happened yet', async () => {
    const after = await now();
    const started = performance.now();
    const waiting = page(`after=${after}&wait=30&type=awaited`);
    await submit({ type: 'other' });
    const job = await submit({ type: 'awaited' });
    expect((await waiting).data[0].subject).toBe(job.id);
    expect(performance.now() - started).toBeLessThan(5000);
    const nothing = await page(`after=${await now()}&wait=1&type=never`);
    expect(nothing.data).toEqual([]);
  });

  test('is found in one call behind much that does not pass the filter, which came one event at a time', async () => {
    const after = await now();
    await page(`after=${after}&wait=1&type=never`);
    for (let n = 0; n < 60; n += 1) await submit({ type: 'crowd' });
    const job = await submit({ type: 'needle' });
    await page(`after=${after}&wait=5&type=needle`);
    expect((await page(`after=${after}&type=needle`)).data[0]?.subject).toBe(job.id);
  });

  test('does not show the events of workers', async () => {
    const after = await now();
    const facts = { workerId: 'x', host: 'h', pid: 1, version: '1', queues: null, types: null, concurrency: 1 };
    await rig.commands.workerStarted(facts, { actor: 'worker:x' });
    const { data, next_after } = await page(`after=${after}`);
    expect(data).toEqual([]);
    expect(next_after > after).toBe(true);
  });

  test('refuses a position of another log', async () => {
    const { body } = await rig.expectStatus(400, 'GET', '/v1/events?after=00000000000000000000a1f3');
    expect(body.errors).toEqual([{ parameter: 'after', detail: expect.any(String) }]);
  });
});

/** Reads server-sent events until it is closed. */
function listen(path: string, headers: Record<string, string> = {}) {
  const stop = new AbortController();
  const stream = { text: '', response: undefined as Response | undefined, ended: false, close: () => stop.abort() };
  const read = async () => {
    stream.response = await fetch(rig.url + path, {
      headers: { accept: 'text/event-stream', ...headers },
      signal: stop.signal,
    });
    const decoder = new TextDecoder();
    for await (const chunk of stream.response.body ?? []) stream.text += decoder.decode(chunk, { stream: true });
  };
  void read()
    .catch(() => undefined)
    .finally(() => {
      stream.ended = true;
    });
  return stream;
}

function eventsOf(text: string): { id: string; event: CloudEvent }[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('id: '))
    .map((block) => {
      const [id, data] = block.split('\n') as [string, string];
      expect(block.split('\n')).toHaveLength(2);
      return { id: id.slice(4), event: JSON.parse(data.slice('data: '.length)) };
    });
}

describe('the feed as server-sent events', () => {
  test('begins with retry, then one event a block whose id is its position', async () => {
    const after = await now();
    const before = await submit({ type: 'sse1' });
    const stream = listen(`/v1/events?after=${after}`);
    await until('the past is there', () => eventsOf(stream.text).length === 1);
    const live = await submit({ type: 'sse2' });
    await until('what is new comes', () => eventsOf(stream.text).length === 2);
    stream.close();
    expect(stream.response?.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.response?.headers.get('request-id')).toBeTruthy();
    expect(stream.text.startsWith('retry: 2000\n\n')).toBe(true);
    const events = eventsOf(stream.text);
    expect(events.map(({ event }) => event.subject)).toEqual([before.id, live.id]);
    for (const { id, event } of events) expect(id).toBe(event.position);
  });

  test('is resumed after Last-Event-ID without a gap or a repeat, which wins over after', async () => {
    const after = await now();
    const ids: string[] = [];
    for (let n = 0; n < 20; n += 1) ids.push((await submit({ type: 'resume' })).id);
    const first = listen(`/v1/events?after=${after}&type=resume`);
    await until('some have come', () => eventsOf(first.text).length >= 5);
    first.close();
    const seen = eventsOf(first.text).slice(0, 5);
    const lastId = seen.at(-1)?.id as string;
    const second = listen(`/v1/events?after=${after}&type=resume`, { 'last-event-id': lastId });
    await until('the rest has come', () => eventsOf(second.text).length === 15);
    second.close();
    const all = [...seen, ...eventsOf(second.text)].map(({ event }) => event.subject);
    expect(all).toEqual(ids);
  });

  test('refuses a Last-Event-ID that is no position of this log', async () => {
    const answer = await rig.call('GET', '/v1/events', undefined, {
      accept: 'Text/Event-Stream',
      'last-event-id': 'x',
    });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([{ header: 'Last-Event-ID', detail: expect.any(String) }]);
  });

  test('many listeners all get everything, each once', async () => {
    const after = await now();
    const streams = Array.from({ length: 20 }, () => listen(`/v1/events?after=${after}&type=crowd`));
    const submits = Array.from({ length: 100 }, () => submit({ type: 'crowd' }));
    const ids = (await Promise.all(submits)).map(({ id }) => id).sort();
    for (const stream of streams) {
      await until('a listener has all', () => eventsOf(stream.text).length >= 100);
      stream.close();
      expect(
        eventsOf(stream.text)
          .map(({ event }) => event.subject)
          .sort(),
      ).toEqual(ids);
    }
  });

  test('a client that stops reading is told to start over and let go', async () => {
    const after = await now();
    const { hostname, port } = new URL(rig.url);
    const socket = connect(Number(port), hostname).pause();
    socket.write(`GET /v1/events?after=${after} HTTP/1.1\r\nHost: ${hostname}\r\nAccept: text/event-stream\r\n\r\n`);
    const payload = { v: 'x'.repeat(200_000) };
    for (let n = 0; n < 100; n += 1) await submit({ type: 'flood', payload, delay_seconds: 3600 });
    const gaveUp = () => rig.logged.some(({ msg }) => msg.includes('took nothing'));
    await until('the server has given up on the client', gaveUp, 30_000);
    let text = '';
    socket.on('data', (chunk) => {
      text = (text + chunk).slice(-2000);
    });
    socket.resume();
    await until('the word to start over comes', () => text.includes('event: resync'), 20_000);
    socket.destroy();
  }, 60_000);

  test('ends when the server closes', async () => {
    const closing = await openRig();
    const response = await fetch(`${closing.url}/v1/events`, { headers: { accept: 'text/event-stream' } });
    const body = response.text();
    await closing.close();
    expect(await body).toMatch(/^retry: 2000/);
  });
});
