import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LeaseRequests } from '#commands/ports';
import { LeaseRequestsTable } from '#projections/lease-requests/lease-requests';
import { JobHistory } from './histories.ts';
import { openRig, type Rig } from './rig.ts';

const NOW = Date.UTC(2026, 10, 30, 12);

describe('lease requests', () => {
  let rig: Rig;
  let requests: LeaseRequests;
  beforeAll(async () => {
    rig = await openRig();
    requests = new LeaseRequestsTable(rig);
  });
  afterAll(() => rig.close());

  it('lets exactly one of many calls with one id begin', async () => {
    const calls = Array.from({ length: 8 }, () => requests.begin({ requestId: 'race', workerId: 'w', now: NOW }));
    const answers = await Promise.all(calls);
    expect(answers.toSorted()).toEqual(['begun', ...Array.from({ length: 7 }, () => 'in-progress')]);
  });

  it('binds the id to its worker until it expires', async () => {
    const begin = (workerId: string, now: number) => requests.begin({ requestId: 'bound', workerId, now });
    expect(await begin('a', NOW)).toBe('begun');
    expect(await begin('b', NOW)).toBe('other-worker');
    await requests.finish({ requestId: 'bound', boundUntil: NOW + 30_000 });
    expect(await begin('a', NOW + 1)).toBe('begun');
    await requests.finish({ requestId: 'bound', boundUntil: NOW + 30_000 });
    expect(await begin('b', NOW + 29_999)).toBe('other-worker');
    expect(await begin('b', NOW + 30_000)).toBe('begun');
  });

  it('keeps an id for its worker as long as a lease of it is held, however long that is', async () => {
    const begin = (workerId: string, now: number) => requests.begin({ requestId: 'kept', workerId, now });
    const job = new JobHistory();
    await rig.log.append([job.submit({}, NOW)]);
    expect(await begin('a', NOW)).toBe('begun');
    await rig.log.append([job.claim(NOW, { workerId: 'a', requestId: 'kept' })]);
    await requests.finish({ requestId: 'kept', boundUntil: NOW + 5000 });
    expect(await begin('b', NOW + 60_000)).toBe('other-worker');
    // Not forgotten either, though its time is over.
    await new LeaseRequestsTable(rig).begin({ requestId: 'pruning', workerId: 'c', now: NOW + 60_000 });
    expect(await begin('b', NOW + 60_000)).toBe('other-worker');
    expect(await begin('a', NOW + 60_000)).toBe('begun');
    await requests.finish({ requestId: 'kept', boundUntil: NOW + 60_000 });
    const done = job.step({ kind: 'complete', fencingToken: 1, result: null }, NOW + 60_000);
    await rig.log.append(done ? [done] : []);
    expect(await begin('b', NOW + 60_000)).toBe('begun');
  });

  it('frees an id whose call never ended after ten seconds', async () => {
    const begin = (now: number) => requests.begin({ requestId: 'lost', workerId: 'a', now });
    expect(await begin(NOW)).toBe('begun');
    expect(await begin(NOW + 9_999)).toBe('in-progress');
    expect(await begin(NOW + 10_000)).toBe('begun');
  });

  it('finds the jobs that are still held under the id, and no others', async () => {
    const [held, finished, others] = [new JobHistory(), new JobHistory(), new JobHistory()];
    await rig.log.append([held, finished, others].map((job) => job.submit({ payload: { n: 1 } }, NOW)));
    await rig.log.append([held, finished].map((job) => job.claim(NOW, { requestId: 'r1' })));
    await rig.log.append([others.claim(NOW, { requestId: 'r2' })]);
    const done = finished.step({ kind: 'complete', fencingToken: 1, result: null }, NOW);
    await rig.log.append(done ? [done] : []);
    expect(await requests.held('r1')).toEqual([held.job]);
    expect(await requests.held('unknown')).toEqual([]);
  });

  it('forgets what has expired', async () => {
    await requests.begin({ requestId: 'later', workerId: 'a', now: NOW + 3_600_000 });
    const { rows } = await rig.pool.query('SELECT request_id FROM lease_requests');
    expect(rows).toEqual([{ request_id: 'later' }]);
  });
});
