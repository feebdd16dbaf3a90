import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { ClaimAhead } from '#workers/claim-ahead';
import { defineJob } from '#workers/define-job';
import { startWorker, type Worker } from '#workers/worker';

import { until } from '../support/until.ts';
import { lease, ScriptedGateway } from './scripted-gateway.ts';

const CONCURRENCY = 4;
const leases = (count: number) => Array.from({ length: count }, (_, n) => lease(`job-${n}`));

describe('claims ahead of free slots', () => {
  it('are for free slots alone at first, and again after an answer that brought nothing', () => {
    const ahead = new ClaimAhead(CONCURRENCY);
    expect(ahead.wanted(CONCURRENCY)).toBe(CONCURRENCY);
    expect(ahead.wanted(0)).toBe(0);
    growTo(ahead, 64);
    ahead.add([], 10, performance.now());
    expect(ahead.wanted(CONCURRENCY)).toBe(CONCURRENCY);
  });

  it('double while all that was asked for comes and is started soon, up to five hundred', () => {
    const ahead = new ClaimAhead(CONCURRENCY);
    const asked: number[] = [];
    for (let round = 0; round < 11; round += 1) {
      asked.push(ahead.wanted(0));
      ahead.add(leases(Math.max(1, ahead.wanted(0))), ahead.wanted(0), performance.now());
      while (ahead.next());
    }
    expect(asked).toEqual([0, 0, 4, 8, 16, 32, 64, 128, 256, 500, 500]);
  });

  it('are halved when others were quicker', () => {
    const ahead = new ClaimAhead(CONCURRENCY);
    growTo(ahead, 64);
    ahead.add(leases(3), 64, performance.now());
    while (ahead.next());
    expect(ahead.wanted(0)).toBe(32);
  });

  it('wait until half of the store is used up, so that they stay large', () => {
    const ahead = new ClaimAhead(CONCURRENCY);
    growTo(ahead, 64);
    ahead.add(leases(65), 65, performance.now());
    expect(ahead.wanted(0)).toBe(0);
    ahead.next();
    expect(ahead.wanted(0)).toBe(128 - 64);
  });

  it('are fewer for large payloads', () => {
    const ahead = new ClaimAhead(CONCURRENCY);
    growTo(ahead, 500);
    const [large] = leases(1);
    const payload = { text: 'x'.repeat(256 * 1024) };
    ahead.add(large ? [{ ...large, job: { ...large.job, payload } }] : [], 1, performance.now());
    ahead.next();
    expect(ahead.wanted(0)).toBe(63);
  });
});

function growTo(ahead: ClaimAhead, room: number): void {
  while (ahead.wanted(0) < room) {
    ahead.add(leases(1), 1, performance.now());
    while (ahead.next());
  }
}

describe('a worker', () => {
  let worker: Worker;
  const gateway = () => new ScriptedGateway();
  afterEach(() => worker.stop());

  function work(scripted: ScriptedGateway, run: () => Promise<null>): void {
    worker = startWorker({
      workerId: 'w1',
      gateway: scripted,
      jobs: [defineJob({ type: 'work', run })],
      queues: null,
      concurrency: CONCURRENCY,
      pollMs: 20,
      shutdownSeconds: 0,
      version: '0',
      logger: pino({ level: 'silent' }),
    });
  }

  it('asks for more than its slots when handlers are short, and still runs no more at once', async () => {
    const scripted = gateway();
    scripted.offer(...leases(2000));
    let running = 0;
    let most = 0;
    work(scripted, async () => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      return null;
    });
    await until('all are done', () => scripted.reports.length === 2000);
    expect(new Set(scripted.reports.map(({ jobId }) => jobId)).size).toBe(2000);
    expect(scripted.reports.every(({ command }) => command.kind === 'complete')).toBe(true);
    expect(most).toBe(CONCURRENCY);
    expect(Math.max(...scripted.claims)).toBeGreaterThan(100);
  });

  it('asks for no more than its slots while handlers take their time', async () => {
    const scripted = gateway();
    scripted.offer(...leases(100));
    const ends = new Set<() => void>();
    work(scripted, () => new Promise<null>((resolve) => ends.add(() => resolve(null))));
    await until('the slots are full', () => ends.size === CONCURRENCY);
    const asked = scripted.claims.reduce((sum, jobs) => sum + jobs, 0);
    expect(asked).toBe(CONCURRENCY);
    for (const end of ends) end();
  });

  it('hands back what waits when its slots are taken for long, and what waits when it stops', async () => {
    const scripted = gateway();
    scripted.offer(...leases(1000));
    const blocked = new Set<() => void>();
    let done = 0;
    work(scripted, () => {
      done += 1;
      return done < 500 ? Promise.resolve(null) : new Promise<null>((resolve) => blocked.add(() => resolve(null)));
    });
    const released = () => scripted.reports.filter(({ command }) => command.kind === 'release');
    await until('the rest is handed back', () => released().length > 0);
    expect(released().every(({ command }) => command.kind === 'release' && command.delaySeconds === 0)).toBe(true);
    expect(blocked.size).toBe(CONCURRENCY);
    for (const end of blocked) end();
  });
});
