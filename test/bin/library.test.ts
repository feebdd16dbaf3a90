import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineJob, HoldfastError, JobError, openHoldfast } from '#bin/library';
import { createEmptyDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { type LibraryRig, type Mode, openLibrary } from './library-rig.ts';

const resize = defineJob({
  type: 'image.resize',
  input: z.object({ path: z.string(), width: z.number().default(200) }),
  queue: 'images',
  priority: 5,
  maxAttempts: 3,
  retry: { strategy: 'fixed', delaySeconds: 0.05 },
  tags: ['image'],
  async run(ctx, input) {
    await ctx.heartbeat({ done: 0.5 });
    return { path: input.path, width: input.width, attempt: ctx.attempt };
  },
});
const flaky = defineJob({
  type: 'flaky',
  maxAttempts: 2,
  retry: { strategy: 'fixed', delaySeconds: 0 },
  async run(ctx) {
    if (ctx.checkpoint === null) {
      await ctx.saveCheckpoint({ row: 7 });
      throw new JobError('not yet', { code: 'EARLY' });
    }
    return ctx.checkpoint;
  },
});
const hopeless = defineJob({
  type: 'hopeless',
  run: () => {
    throw new JobError('never', { retryable: false });
  },
});
const patient = defineJob({
  type: 'patient',
  run: (ctx) =>
    new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason))),
});
const jobs = [resize, flaky, hopeless, patient];

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: unknown) => (error instanceof HoldfastError ? error.code : error),
  );

describe.each<Mode>(['in process', 'over HTTP'])('the library %s', (mode) => {
  let rig: LibraryRig;

  beforeAll(async () => {
    rig = await openLibrary(mode);
  });
  afterAll(async () => {
    await rig.close();
  });

  test('submits with the defaults of the definition, in camelCase and with dates', async () => {
    const job = await rig.holdfast.submit(resize, { path: 'a.png' }, { delaySeconds: 3600, tags: ['vip'] });
    expect(job).toMatchObject({
      type: 'image.resize',
      queue: 'images',
      status: 'pending',
      priority: 5,
      maxAttempts: 3,
      tags: ['vip'],
      payload: { path: 'a.png' },
      retry: { strategy: 'fixed', delaySeconds: 0.05, jitter: 0.5 },
      lease: null,
      lastError: null,
      origin: { kind: 'api', schedule: null, occurrenceAt: null, jobId: null },
    });
    expect(job.createdAt).toBeInstanceOf(Date);
    expect(job.scheduledAt.getTime() - job.createdAt.getTime()).toBe(3_600_000);
  });

  test('takes a payload as its schema does, and nothing else', () => {
    expectTypeOf(rig.holdfast.submit<{ path: string; width?: number | undefined }, { path: string; width: number }>)
      .parameter(1)
      .toEqualTypeOf<{ path: string; width?: number | undefined }>();
    // @ts-expect-error: the path is text
    const wrong = () => rig.holdfast.submit(resize, { path: 5 });
    expect(wrong).toBeTypeOf('function');
  });

  test('knows a repeated idempotency key, and refuses it for another request', async () => {
    const key = { idempotencyKey: 'only-once', delaySeconds: 3600 };
    const first = await rig.holdfast.submit(resize, { path: 'k.png' }, key);
    const again = await rig.holdfast.submit(resize, { path: 'k.png' }, key);
    expect(again.id).toBe(first.id);
    expect(await codeOf(rig.holdfast.submit(resize, { path: 'other.png' }, key))).toBe('idempotency-key-reused');
  });

  test('names every wrong field of a request', async () => {
    const error = await rig.holdfast
      .submit({ type: 'x' }, {}, { priority: 1000, maxAttempts: 0 })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HoldfastError);
    expect((error as HoldfastError).code).toBe('invalid-request');
    expect((error as HoldfastError).errors.map(({ pointer }) => pointer).sort()).toEqual(
      expect.arrayContaining([expect.stringContaining('max_attempts'), expect.stringContaining('priority')]),
    );
    expect(await codeOf(rig.holdfast.submit({ type: 'x' }, { n: 1n } as never))).toBe('invalid-request');
    expect(await codeOf(rig.holdfast.submit({ type: 'x' }, { text: 'x'.repeat(300_000) }))).toBe('payload-too-large');
  });

  test('judges each of many jobs alone', async () => {
    const results = await rig.holdfast.submitMany([
      { job: { type: 'many' }, payload: { n: 1 }, options: { delaySeconds: 3600 } },
      { job: { type: 'not a type' } },
      { job: { type: 'many' }, options: { idempotencyKey: 'm', delaySeconds: 3600 } },
      { job: { type: 'other' }, options: { idempotencyKey: 'm', delaySeconds: 3600 } },
    ]);
    expect(results.map(({ outcome }) => outcome)).toEqual(['created', 'invalid', 'created', 'conflict']);
    expect(results[0]?.job).toMatchObject({ type: 'many', status: 'pending' });
    expect(results[0]?.job).not.toHaveProperty('payload');
    expect(results.map(({ error }) => error?.code ?? null)).toEqual([
      null,
      'invalid-request',
      null,
      'idempotency-key-reused',
    ]);
  });

  test('moves, cancels and reads a pending job, and refuses what cannot be', async () => {
    const { id } = await rig.holdfast.submit({ type: 'idle' }, { a: 1 }, { delaySeconds: 3600 });
    const moved = await rig.holdfast.reschedule(id, { scheduledAt: new Date('2040-01-01T00:00:00Z'), priority: 7 });
    expect(moved).toMatchObject({ priority: 7, scheduledAt: new Date('2040-01-01T00:00:00Z') });
    expect(await codeOf(rig.holdfast.reschedule(id, {}))).toBe('invalid-request');
    expect(await codeOf(rig.holdfast.replay(id))).toBe('not-dead');
    expect(await rig.holdfast.cancel(id, { reason: 'changed our minds' })).toMatchObject({
      status: 'cancelled',
      cancel: { reason: 'changed our minds', requestedAt: expect.any(Date) },
    });
    expect(await codeOf(rig.holdfast.reschedule(id, { delaySeconds: 0 }))).toBe('not-pending');
    expect(await rig.holdfast.get(id, { version: 0 })).toMatchObject({ status: 'pending', version: 0 });
    expect(await codeOf(rig.holdfast.get('01937d2e-8c4a-7b1e-9f00-5a1c2d3e4f50'))).toBe('not-found');

    const first = await rig.holdfast.events(id, { limit: 2 });
    expect(first.data.map(({ type }) => type)).toEqual(['Submitted', 'Rescheduled']);
    expect(first.data[1]).toMatchObject({ recordedAt: expect.any(Date), data: { scheduledAt: expect.any(Date) } });
    const rest = await rig.holdfast.events(id, { limit: 2, cursor: first.nextCursor ?? '' });
    expect(rest.data.map(({ type }) => type)).toEqual(['Cancelled']);
    expect(rest.nextCursor).toBeNull();
  });

  describe('with a worker', () => {
    let worker: Awaited<ReturnType<LibraryRig['holdfast']['startWorker']>>;

    beforeAll(async () => {
      worker = await rig.holdfast.startWorker({ jobs, concurrency: 5, pollMs: 100, shutdownSeconds: 1 });
    });
    afterAll(async () => {
      await worker.stop();
    });

    test('runs a job with its parsed input to its result', async () => {
      const { id } = await rig.holdfast.submit(resize, { path: 'b.png' });
      const done = await rig.holdfast.get(id, { waitSeconds: 20 });
      expect(done).toMatchObject({
        status: 'succeeded',
        result: { path: 'b.png', width: 200, attempt: 1 },
        progress: { done: 0.5 },
        fencingToken: 1,
      });
      expect(done.finishedAt).toBeInstanceOf(Date);
    });

    test('hands a checkpoint on to the next attempt', async () => {
      const { id } = await rig.holdfast.submit(flaky, {});
      const done = await rig.holdfast.get(id, { waitSeconds: 20 });
      expect(done).toMatchObject({ status: 'succeeded', attempt: 2, result: { row: 7 } });
      expect(done.lastError).toMatchObject({ message: 'not yet', code: 'EARLY', at: expect.any(Date) });
    });

    test('tells a running handler of a cancel at once', async () => {
      const { id } = await rig.holdfast.submit(patient, {}, { leaseSeconds: 600 });
      await until('it runs', async () => (await rig.holdfast.get(id)).status === 'running');
      await rig.holdfast.cancel(id);
      expect(await rig.holdfast.get(id, { waitSeconds: 20 })).toMatchObject({ status: 'cancelled' });
    });

    test('a dead job can be acknowledged, and replayed with another payload as a new job', async () => {
      const { id } = await rig.holdfast.submit(hopeless, { n: 1 });
      expect(await rig.holdfast.get(id, { waitSeconds: 20 })).toMatchObject({
        status: 'dead',
        deadReason: 'not-retryable',
      });
      expect(await rig.holdfast.acknowledge(id)).toMatchObject({ status: 'dead', acknowledged: true });
      expect(await codeOf(rig.holdfast.replay(id, { payload: { n: 'x'.repeat(300_000) } }))).toBe('payload-too-large');
      const other = await rig.holdfast.replay(id, { payload: { n: 2 } });
      expect(other).toMatchObject({ payload: { n: 2 }, origin: { kind: 'replay-as-new', jobId: id } });
      expect(other.id).not.toBe(id);
      expect(await rig.holdfast.replay(id, { maxAttempts: 2 })).toMatchObject({ replays: 1, maxAttempts: 2 });
    });

    test('lists what it did', async () => {
      const page = await until('the list shows it', async () => {
        const found = await rig.holdfast.list({
          status: ['succeeded'],
          type: ['image.resize'],
          include: ['result'],
          limit: 5,
        });
        return found.data.length > 0 && found;
      });
      expect(page.data[0]).toMatchObject({
        status: 'succeeded',
        createdAt: expect.any(Date),
        result: { path: 'b.png' },
      });
      expect(page.data[0]).not.toHaveProperty('payload');
      expect(await codeOf(rig.holdfast.list({ limit: 1000 }))).toBe('invalid-request');
      expect(await codeOf(rig.holdfast.list({ cursor: 'made up' }))).toBe('invalid-request');
    });

    test('hands its running job back when it stops, without using up an attempt', async () => {
      const { id } = await rig.holdfast.submit(patient, {}, { leaseSeconds: 600 });
      await until('it runs', async () => (await rig.holdfast.get(id)).status === 'running');
      await worker.stop();
      expect(await rig.holdfast.get(id)).toMatchObject({ status: 'pending', attempt: 0, releases: 1 });
      expect(worker.running()).toBe(0);
    });
  });
});

test('a schema that is behind is refused, naming the command; with migrate it is brought up', async () => {
  const database = await createEmptyDatabase();
  try {
    const options = { databaseUrl: database.connectionString };
    await expect(openHoldfast(options)).rejects.toThrow('holdfast migrate');
    const holdfast = await openHoldfast({ ...options, migrate: true });
    expect((await holdfast.submit({ type: 'noop' })).status).toBe('pending');
    await holdfast.close();
  } finally {
    await database.drop();
  }
});

test('a server that is not there is an error that says so', async () => {
  const holdfast = await openHoldfast({ url: 'http://127.0.0.1:9' });
  const error = await holdfast.submit({ type: 'noop' }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(HoldfastError);
  expect((error as HoldfastError).code).toBe('unavailable');
  await holdfast.close();
});
