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
  let now = 0;
  const newAhead = () => new ClaimAhead(() => now);

  /** A claim, answered after so many milliseconds in which so many slots came free. */
  function answer(ahead: ClaimAhead, got: number, given: { asked?: number; afterMs: number; freed: number }): void {
    now += given.afterMs;
    for (let freed = 0; freed < given.freed; freed += 1) ahead.slotFreed();
    ahead.add(leases(got), given.asked ?? got, now);
    while (ahead.next());
  }

  it('are for free slots alone at first', () => {
    const ahead = newAhead();
    expect(ahead.wanted(CONCURRENCY)).toBe(CONCURRENCY);
    answer(ahead, CONCURRENCY, { afterMs: 5, freed: 0 });
    expect(ahead.wanted(0)).toBe(0);
    expect(ahead.wanted(1)).toBe(1);
  });

  it('are for as many as slots come free in a tenth of a second, up to five hundred', () => {
    const ahead = newAhead();
    answer(ahead, 4, { afterMs: 5, freed: 0 });
    answer(ahead, 4, { afterMs: 20, freed: 4 });
    expect(ahead.wanted(0)).toBe(20);
    answer(ahead, 20, { afterMs: 20, freed: 20 });
    expect(ahead.wanted(0)).toBe(100);
    answer(ahead, 100, { afterMs: 10, freed: 100 });
    expect(ahead.wanted(0)).toBe(500);
    answer(ahead, 500, { afterMs: 1000, freed: 200 });
    expect(ahead.wanted(0)).toBe(20);
  });

  it('are not learned from a moment too short to tell', () => {
    const ahead = newAhead();
    answer(ahead, 4, { afterMs: 5, freed: 0 });
    answer(ahead, 1, { afterMs: 1, freed: 1 });
    answer(ahead, 1, { afterMs: 1, freed: 1 });
    expect(ahead.wanted(0)).toBe(0);
    answer(ahead, 1, { afterMs: 98, freed: 1 });
    expect(ahead.wanted(0)).toBe(3);
  });

  it('are halved when others were quicker, and end with an answer that brought nothing', () => {
    const ahead = newAhead();
    answer(ahead, 4, { afterMs: 5, freed: 0 });
    answer(ahead, 4, { afterMs: 10, freed: 10 });
    expect(ahead.wanted(0)).toBe(100);
    answer(ahead, 3, { asked: 100, afterMs: 10, freed: 10 });
    expect(ahead.wanted(0)).toBe(50);
    answer(ahead, 0, { asked: 50, afterMs: 10, freed: 10 });
    expect(ahead.wanted(CONCURRENCY)).toBe(CONCURRENCY);
  });

  it('wait until half of the store is used up, so that they stay large', () => {
    const ahead = newAhead();
    answer(ahead, 4, { afterMs: 5, freed: 0 });
    answer(ahead, 4, { afterMs: 10, freed: 10 });
    ahead.add(leases(51), 51, now);
    expect(ahead.wanted(0)).toBe(0);
    ahead.next();
    expect(ahead.wanted(0)).toBe(50);
  });

  it('are fewer for large payloads', () => {
    const ahead = newAhead();
    answer(ahead, 4, { afterMs: 5, freed: 0 });
    answer(ahead, 4, { afterMs: 10, freed: 50 });
    expect(ahead.wanted(0)).toBe(500);
    const [large] = leases(1);
    const payload = { text: 'x'.repeat(256 * 1024) };
    ahead.add(large ? [{ ...large, job: { ...large.job, payload } }] : [], 1, now);
    ahead.next();
    expect(ahead.wanted(0)).toBe(63);
  });
});

describe('a worker', () => {
  let worker: Worker;
  const gateway = () => new ScriptedGateway();
  afterEach(() => worker.stop());

  function work(scripted: ScriptedGateway, run: () => Promise<null>, concurrency = CONCURRENCY): void {
    worker = startWorker({
      workerId: 'w1',
      gateway: scripted,
      jobs: [defineJob({ type: 'work', run })],
      queues: null,
      concurrency,
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

  it.each([1, 4])('hands back next to nothing of jobs that take 20 ms each, with %i slots', async (concurrency) => {
    const scripted = gateway();
    scripted.offer(...leases(60 * concurrency));
    work(scripted, () => new Promise<null>((resolve) => setTimeout(() => resolve(null), 20)), concurrency);
    await until('all are done', () => scripted.reports.length >= 60 * concurrency);
    expect(scripted.reports.filter(({ command }) => command.kind === 'release')).toEqual([]);
    // What is in store is started within a moment: a tenth of a second, and what one claim takes.
    expect(Math.max(...scripted.claims)).toBeLessThan(20 * concurrency);
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
    scripted.offer(...leases(3000));
    const blocked = new Set<() => void>();
    let done = 0;
    work(scripted, () => {
      done += 1;
      return done < 2000 ? Promise.resolve(null) : new Promise<null>((resolve) => blocked.add(() => resolve(null)));
    });
    const released = () => scripted.reports.filter(({ command }) => command.kind === 'release');
    await until('the rest is handed back', () => released().length > 0);
    expect(released().every(({ command }) => command.kind === 'release' && command.delaySeconds === 0)).toBe(true);
    expect(blocked.size).toBe(CONCURRENCY);
    for (const end of blocked) end();
  });
});
