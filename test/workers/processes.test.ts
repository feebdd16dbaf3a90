import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JobCommand } from '#domain/job/commands';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { openRig, type Rig } from './rig.ts';
import { spawnWorker, type WorkerProcess } from './spawn-worker.ts';

let database: TestDatabase;
let rig: Rig;
let children: WorkerProcess[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  rig = await openRig(database.connectionString);
});

afterEach(async () => {
  const running = children;
  children = [];
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(running.map(({ exited }) => exited));
  await rig.close();
  await database.drop();
});

function spawnOne(workerId: string, graceSeconds?: number): WorkerProcess {
  const child = spawnWorker(database.connectionString, workerId, graceSeconds);
  children.push(child);
  return child;
}

const namesOf = async (id: string) => (await rig.events(id)).map(({ type }) => type);

describe('a worker that is frozen past its lease', () => {
  test('can write nothing about its jobs any more, and its handlers are told', { timeout: 60_000 }, async () => {
    const frozen = spawnOne('frozen');
    const hold = await rig.submit('hold', { lease_seconds: 5 });
    const nap = await rig.submit('nap', { payload: { seconds: 1 }, lease_seconds: 5 });
    await Promise.all([frozen.hears('entered', hold), frozen.hears('entered', nap)]);
    frozen.kill('SIGSTOP');

    const second = spawnOne('second');
    await second.hears('entered', hold);
    const done = await rig.reaches(nap, 'succeeded', 20_000);
    expect(done).toMatchObject({ fencingToken: 2, result: 'second' });

    frozen.kill('SIGCONT');
    expect(await frozen.hears('aborted', hold)).toMatchObject({ reason: 'LeaseLost' });
    await frozen.hears('returns', nap);
    expect((await rig.job(hold)).status).toBe('running');

    const stale: JobCommand[] = [
      { kind: 'heartbeat', fencingToken: 1, progress: 'stale' },
      { kind: 'complete', fencingToken: 1, result: 'stale' },
      { kind: 'release', fencingToken: 1, delaySeconds: 0, reason: null },
      {
        kind: 'fail',
        fencingToken: 1,
        error: { message: 'stale', code: null, stack: null },
        why: 'error',
        retryable: true,
        retryAfterSeconds: null,
      },
    ];
    for (const jobId of [hold, nap]) {
      const before = (await rig.job(jobId)).version;
      const outcomes = await rig.commands.execute(
        stale.map((command) => ({ jobId, command })),
        { actor: 'worker:frozen' },
      );
      for (const outcome of outcomes)
        expect(outcome).toMatchObject({ kind: 'rejected', rejection: { code: 'lease-lost' } });
      if (jobId === nap) expect((await rig.job(jobId)).version).toBe(before);
    }

    frozen.kill('SIGTERM');
    expect(await frozen.exited).toBe(0);
    const { lines = [] } = await frozen.hears('stopped');
    expect(lines.filter((line) => line === 'the outcome came too late: the lease was lost')).toHaveLength(2);
    expect(await namesOf(nap)).toEqual(['Submitted', 'Claimed', 'Failed', 'Claimed', 'Succeeded']);
    expect((await namesOf(hold)).filter((name) => name === 'Succeeded')).toEqual([]);
  });
});

describe('a job that kills its worker', () => {
  test('is dead after its attempts; the jobs beside it end well', { timeout: 90_000 }, async () => {
    let supervising = true;
    const supervise = async (workerId: string) => {
      for (let start = 1; supervising; start += 1) await spawnOne(`${workerId}-${start}`).exited;
    };
    const deadly = await rig.submit('abort', {
      max_attempts: 3,
      lease_seconds: 5,
      retry: { strategy: 'fixed', delay_seconds: 0.2, jitter: 0 },
    });
    const good = await Promise.all(Array.from({ length: 60 }, () => rig.submit('good', { lease_seconds: 5 })));
    const supervisors = [supervise('a'), supervise('b')];

    const job = await rig.reaches(deadly, 'dead', 60_000);
    for (const id of good) await rig.reaches(id, 'succeeded', 30_000);
    supervising = false;
    for (const child of children) child.kill('SIGTERM');
    await Promise.all(supervisors);

    expect(job).toMatchObject({
      attempt: 3,
      fencingToken: 3,
      deadReason: 'crashes',
      lastError: { why: 'lease-expired' },
    });
    expect((await namesOf(deadly)).filter((name) => name === 'Claimed')).toHaveLength(3);
  });
});

describe('SIGTERM in the middle of work', () => {
  test('claims nothing more, records what ends, hands back the rest unharmed, and exits with 0', {
    timeout: 60_000,
  }, async () => {
    const worker = spawnOne('stopping', 3);
    await worker.hears('ready');
    const parent = await rig.submit('parent');
    const hold = await rig.submit('hold');
    const deaf = await rig.submit('deaf');
    await Promise.all([parent, hold, deaf].map((id) => worker.hears('entered', id)));
    worker.kill('SIGTERM');
    const late = await rig.submit('good');

    expect(await worker.exited).toBe(0);
    expect(worker.said.find(({ event, job }) => event === 'aborted' && job === deaf)).toMatchObject({
      reason: 'ShuttingDown',
    });
    const finished = await rig.job(parent);
    expect(finished.status).toBe('succeeded');
    const child = (finished as Extract<typeof finished, { status: 'succeeded' }>).result as string;
    expect((await rig.job(child)).status).toBe('pending');
    // This handler ended by itself when it was told to stop, so what it did counts.
    expect((await rig.job(hold)).status).toBe('succeeded');
    expect(await rig.job(deaf)).toMatchObject({ status: 'pending', attempt: 0, releases: 1, fencingToken: 1 });
    // A claim that was under way at the signal may have got it; then it was handed back unharmed.
    expect(await rig.job(late)).toMatchObject({ status: 'pending', attempt: 0 });

    const next = spawnOne('next');
    await next.hears('entered', deaf);
    expect((await rig.job(deaf)).attempt).toBe(1);
    await rig.reaches(late, 'succeeded');
  });

  test('hands back what a claim under way still brings', async () => {
    const { ScriptedGateway, lease } = await import('./scripted-gateway.ts');
    const { startWorker } = await import('#workers/worker');
    const { defineJob } = await import('#workers/define-job');
    const gateway = new ScriptedGateway();
    const answer = Promise.withResolvers<void>();
    gateway.onClaim = async (claimed) => {
      await answer.promise;
      return claimed;
    };
    gateway.offer(lease('late'));
    let ran = false;
    const worker = startWorker({
      workerId: 'w1',
      gateway,
      jobs: [
        defineJob({
          type: 'work',
          run: () => {
            ran = true;
          },
        }),
      ],
      queues: null,
      concurrency: 1,
      pollMs: 10,
      shutdownSeconds: 5,
      version: 'test',
      logger: rig.logger,
    });
    await until('a claim is under way', () => gateway.claims.length === 1);
    const stopped = worker.stop();
    answer.resolve();
    await stopped;
    expect(gateway.reports.map(({ command }) => command.kind)).toEqual(['release']);
    expect(ran).toBe(false);
  });
});
