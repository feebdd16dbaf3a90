import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CancelRequested } from '#workers/abort-reasons';
import { defineJob } from '#workers/define-job';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { openRig, type Rig } from './rig.ts';

const FINAL = new Set(['Succeeded', 'DeadLettered', 'Cancelled']);

let database: TestDatabase;
let rig: Rig;

beforeAll(async () => {
  database = await createTestDatabase();
  rig = await openRig(database.connectionString);
});

afterAll(async () => {
  await rig.close();
  await database.drop();
});

test('a running handler hears of a cancel long before its first beat, and the job ends as cancelled though it throws', async () => {
  const entered = Promise.withResolvers<void>();
  const reason = Promise.withResolvers<unknown>();
  const worker = rig.work([
    defineJob({
      type: 'cancelled',
      async run(ctx) {
        entered.resolve();
        await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve(), { once: true }));
        reason.resolve(ctx.signal.reason);
        throw new Error('stopped half way');
      },
    }),
  ]);
  const id = await rig.submit('cancelled', { lease_seconds: 3600 });
  await entered.promise;
  await rig.cancel(id);
  expect(await reason.promise).toBeInstanceOf(CancelRequested);
  const job = await rig.reaches(id, 'cancelled');
  expect(job.lastError?.message).toBe('stopped half way');
  await worker.stop();
});

test('a result that comes after the cancel request is kept: the work was done', async () => {
  const worker = rig.work([
    defineJob({
      type: 'stubborn',
      async run(ctx) {
        await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve(), { once: true }));
        return 'done all the same';
      },
    }),
  ]);
  const id = await rig.submit('stubborn');
  await rig.reaches(id, 'running');
  await rig.cancel(id);
  expect(await rig.reaches(id, 'succeeded')).toMatchObject({ result: 'done all the same' });
  await worker.stop();
});

test('cancels around claim and completion: one final event each, and nothing starts after a cancel was answered', {
  timeout: 60_000,
}, async () => {
  const seed = Date.now() % 1_000_000;
  const random = mulberry(seed);
  const starts = new Map<string, number>();
  const worker = rig.work(
    [
      defineJob({
        type: 'racing',
        async run(ctx) {
          starts.set(ctx.job.id, performance.now());
          await delay(random() * 20);
          if (random() < 1 / 3) throw new Error('a third of them throw');
          return 'done';
        },
      }),
    ],
    { concurrency: 20 },
  );
  const answers = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const id = await rig.submit('racing', { retry: { strategy: 'fixed', delay_seconds: 0.01 } });
      await delay(random() * 50);
      const outcomes = await Promise.all(
        [1, 2, 3].map(() =>
          rig.commands.execute([{ jobId: id, command: { kind: 'cancel', reason: null } }], { actor: 'anonymous' }),
        ),
      );
      return { id, answeredAt: performance.now(), outcomes: outcomes.flat() };
    }),
  );
  for (const { id, answeredAt, outcomes } of answers) {
    const context = `seed ${seed}, job ${id}`;
    const job = await rig.job(id);
    const finalJob = job.status === 'running' || job.status === 'pending' ? await untilFinal(id) : job;
    const names = (await rig.events(id)).map(({ type }) => type);
    expect(
      names.filter((name) => FINAL.has(name)),
      context,
    ).toHaveLength(1);
    expect(FINAL.has(names.at(-1) ?? ''), context).toBe(true);
    expect(names.filter((name) => name === 'CancelRequested').length, context).toBeLessThanOrEqual(1);
    for (const outcome of outcomes) {
      if (outcome.kind === 'done' && outcome.job.status === 'cancelled') {
        expect(starts.get(id) ?? 0, context).toBeLessThan(answeredAt);
        expect(finalJob.status, context).toBe('cancelled');
      }
      if (outcome.kind === 'rejected') expect(outcome.rejection.code, context).toBe('already-final');
    }
    if (names.includes('CancelRequested')) expect(['cancelled', 'succeeded'], context).toContain(finalJob.status);
  }
  await worker.stop();
});

async function untilFinal(id: string) {
  for (;;) {
    const job = await rig.job(id);
    if (job.status !== 'running' && job.status !== 'pending') return job;
    await delay(10);
  }
}

function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
