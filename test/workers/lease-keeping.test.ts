import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { CancelRequested, LeaseLost, TimedOut } from '#workers/abort-reasons';
import type { JobContext } from '#workers/context';
import { defineJob } from '#workers/define-job';
import { startWorker, type Worker } from '#workers/worker';
import { until } from '../support/until.ts';
import { lease, ScriptedGateway } from './scripted-gateway.ts';

let worker: Worker | null = null;

afterEach(async () => {
  await worker?.stop();
  worker = null;
});

function work(gateway: ScriptedGateway, run: (ctx: JobContext) => unknown, lines: string[] = []): Worker {
  worker = startWorker({
    workerId: 'w1',
    gateway,
    jobs: [defineJob({ type: 'work', run })],
    queues: null,
    concurrency: 10,
    pollMs: 20,
    shutdownSeconds: 0,
    version: 'test',
    logger: pino({ level: 'debug' }, { write: (line: string) => lines.push(line) }),
  });
  return worker;
}

/** Ends when its signal aborts, by throwing the reason, as well-behaved handlers do. */
function untilAborted(ctx: JobContext): Promise<never> {
  return new Promise((_resolve, reject) => {
    ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason), { once: true });
  });
}

test('a job shorter than a third of its lease writes no heartbeat', async () => {
  const gateway = new ScriptedGateway();
  gateway.offer(lease('short', { leaseSeconds: 30 }));
  work(gateway, () => 'done');
  await until('its outcome is reported', () => gateway.reports.length === 1);
  expect(gateway.beats).toEqual([]);
});

test('a result that the scheduler refuses for good ends as a failure that says so, once', async () => {
  const gateway = new ScriptedGateway();
  gateway.onReport = async (reports) => reports.map(() => ({ kind: 'refused', detail: 'too large' }));
  gateway.offer(lease('huge', { leaseSeconds: 30 }));
  const worker = work(gateway, () => 'done');
  await until('the failure is reported, too', () => gateway.reports.length === 2);
  expect(gateway.reports.map(({ command }) => command.kind)).toEqual(['complete', 'fail']);
  expect(gateway.reports[1]?.command).toMatchObject({
    ...{ fencingToken: 1, retryable: false },
    error: { code: 'result-refused', message: expect.stringContaining('too large') },
  });
  await worker.stop();
  expect(gateway.reports).toHaveLength(2);
});

test('the leases of all running jobs are extended at a third, in one batch', async () => {
  const gateway = new ScriptedGateway();
  const sizes: number[] = [];
  gateway.onBeat = async (beats) => {
    sizes.push(beats.length);
    return beats.map(() => ({ kind: 'accepted', cancelRequested: false }));
  };
  gateway.offer(lease('a', { leaseSeconds: 0.9 }), lease('b', { leaseSeconds: 0.9 }));
  const begun = performance.now();
  work(gateway, untilAborted);
  await until('three rounds of beats', () => sizes.length >= 3);
  expect(performance.now() - begun).toBeGreaterThan(900);
  expect(sizes.slice(0, 3)).toEqual([2, 2, 2]);
});

test('a claim that was answered when its lease was over starts no handler', async () => {
  const gateway = new ScriptedGateway();
  gateway.onClaim = async (answer) => ({ ...answer, claimedAt: answer.claimedAt - 5000 });
  gateway.offer(lease('late', { leaseSeconds: 5 }));
  let started = false;
  work(gateway, () => {
    started = true;
  });
  await until('the job is handed back', () => gateway.reports.length === 1);
  expect(gateway.reports[0]).toMatchObject({ jobId: 'late', command: { kind: 'release', fencingToken: 1 } });
  expect(started).toBe(false);
});

describe('a handler is told to stop', () => {
  test('before its lease ends, when no beat gets through', async () => {
    const gateway = new ScriptedGateway();
    gateway.onBeat = () => Promise.reject(new Error('no way through'));
    gateway.offer(lease('cut off', { leaseSeconds: 1 }));
    const stopped = Promise.withResolvers<{ reason: unknown; afterMs: number }>();
    const begun = performance.now();
    work(gateway, async (ctx) => {
      await untilAborted(ctx).catch((reason: unknown) => {
        stopped.resolve({ reason, afterMs: performance.now() - begun });
        throw reason;
      });
    });
    const { reason, afterMs } = await stopped.promise;
    expect(reason).toBeInstanceOf(LeaseLost);
    expect(afterMs).toBeLessThan(1000);
    await until('the job is handed back', () => gateway.reports.length === 1);
    expect(gateway.reports[0]?.command.kind).toBe('release');
  });

  test('when a beat hangs for ever', async () => {
    const gateway = new ScriptedGateway();
    gateway.onBeat = () => new Promise(() => {});
    gateway.offer(lease('hung', { leaseSeconds: 0.6 }));
    const reason = Promise.withResolvers<unknown>();
    work(gateway, (ctx) => untilAborted(ctx).catch(reason.resolve));
    expect(await reason.promise).toBeInstanceOf(LeaseLost);
  });

  test('at once when a beat hears that the lease is lost; then its outcome is dropped', async () => {
    const gateway = new ScriptedGateway();
    gateway.onBeat = async (beats) => beats.map(() => ({ kind: 'lost' }));
    gateway.offer(lease('lost', { leaseSeconds: 0.9 }));
    const reason = Promise.withResolvers<unknown>();
    const lines: string[] = [];
    const running = work(
      gateway,
      async (ctx) => {
        await untilAborted(ctx).catch(reason.resolve);
        return 'a result nobody may record';
      },
      lines,
    );
    expect(await reason.promise).toBeInstanceOf(LeaseLost);
    await until('the handler ended', () => running.running() === 0);
    expect(gateway.reports).toEqual([]);
    expect(lines.some((line) => line.includes('its outcome is dropped'))).toBe(true);
  });

  test('when a beat hears of a cancel', async () => {
    const gateway = new ScriptedGateway();
    gateway.onBeat = async (beats) => beats.map(() => ({ kind: 'accepted', cancelRequested: true }));
    gateway.offer(lease('cancelled', { leaseSeconds: 0.9 }));
    work(gateway, untilAborted);
    await until('the cancel is acknowledged', () => gateway.reports.length === 1);
    expect(gateway.reports[0]?.command).toMatchObject({ kind: 'fail', error: { code: 'cancel-requested' } });
  });

  test('by a cancel that is requested between the claim and its answer', async () => {
    const gateway = new ScriptedGateway();
    gateway.onClaim = async (answer) => {
      for (const { job } of answer.leases) gateway.requestCancel(job.id);
      return answer;
    };
    gateway.offer(lease('overtaken', { leaseSeconds: 30 }));
    const reason = Promise.withResolvers<unknown>();
    work(gateway, (ctx) => {
      if (ctx.signal.aborted) reason.resolve(ctx.signal.reason);
      return untilAborted(ctx).catch(reason.resolve);
    });
    expect(await reason.promise).toBeInstanceOf(CancelRequested);
  });

  test('by its timeout; the failure is reported although the handler goes on, and its slot stays taken', async () => {
    const gateway = new ScriptedGateway();
    gateway.offer(lease('slow', { timeoutSeconds: 0.2 }));
    const end = Promise.withResolvers<void>();
    let reason: unknown;
    const running = work(gateway, async (ctx) => {
      ctx.signal.addEventListener('abort', () => {
        reason = ctx.signal.reason;
      });
      await end.promise;
      return 'too late';
    });
    await until('the timeout is reported', () => gateway.reports.length === 1);
    expect(gateway.reports[0]?.command).toMatchObject({ kind: 'fail', why: 'timeout', retryable: true });
    expect(reason).toBeInstanceOf(TimedOut);
    expect(running.running()).toBe(1);
    end.resolve();
    await until('the slot is free', () => running.running() === 0);
    expect(gateway.reports).toHaveLength(1);
  });
});

test('progress goes out at once; what comes meanwhile is sent as one, and waits for its own answer', async () => {
  const gateway = new ScriptedGateway();
  const first = Promise.withResolvers<void>();
  gateway.onBeat = async (beats) => {
    if (gateway.beats.length === 1) await first.promise;
    return beats.map(() => ({ kind: 'accepted', cancelRequested: false }));
  };
  gateway.offer(lease('talkative'));
  let checkpoint: unknown;
  work(gateway, async (ctx) => {
    const one = ctx.heartbeat(1);
    await until('the first beat is under way', () => gateway.beats.length === 1);
    const rest = [ctx.heartbeat(2), ctx.heartbeat(3), ctx.saveCheckpoint({ row: 7 })];
    first.resolve();
    await Promise.all([one, ...rest]);
    checkpoint = ctx.checkpoint;
  });
  await until('the job is done', () => gateway.reports.length === 1);
  expect(gateway.beats.map(({ command }) => command)).toEqual([
    { kind: 'heartbeat', fencingToken: 1, progress: 1 },
    { kind: 'heartbeat', fencingToken: 1, progress: 3, checkpoint: { row: 7 } },
  ]);
  expect(checkpoint).toEqual({ row: 7 });
});

test('a mark whose beat failed goes out with the next', async () => {
  const gateway = new ScriptedGateway();
  gateway.onBeat = async (beats) => {
    if (gateway.beats.length === 1) throw new Error('once');
    return beats.map(() => ({ kind: 'accepted', cancelRequested: false }));
  };
  gateway.offer(lease('persistent'));
  work(gateway, (ctx) => ctx.heartbeat('half'));
  await until('the job is done', () => gateway.reports.length === 1);
  expect(gateway.reports[0]?.command.kind).toBe('complete');
  expect(gateway.beats.map(({ command }) => command.progress)).toEqual(['half', 'half']);
});

test('a handler that blocks the event loop is named, and the jobs beside it are not reported as failed', async () => {
  const gateway = new ScriptedGateway();
  gateway.offer(lease('blocker', { leaseSeconds: 1 }), lease('sibling', { leaseSeconds: 1 }));
  const lines: string[] = [];
  const running = work(
    gateway,
    async (ctx) => {
      if (ctx.job.id === 'sibling') return untilAborted(ctx);
      await new Promise((resolve) => setTimeout(resolve, 300));
      const end = performance.now() + 1500;
      while (performance.now() < end);
      return 'done at last';
    },
    lines,
  );
  await until('both ended', () => gateway.reports.length === 2 && running.running() === 0);
  const kinds = Object.fromEntries(gateway.reports.map(({ jobId, command }) => [jobId, command.kind]));
  expect(kinds).toEqual({ blocker: 'complete', sibling: 'release' });
  const warning = await until('the warning', () => lines.find((line) => line.includes('blocked the event loop')));
  expect(warning).toContain('work blocker');
});
