import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DueJobs } from '#commands/ports';
import { LogUnavailable } from '#log/port';
import { ManualClock } from '../support/clock.ts';
import { beat, CANCEL, complete, openRig, type Process, type Rig, release } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

async function claimedBy(process: Process, worker: string, requestId: string | null = null, maxJobs = 10) {
  const outcome = await process.claimMany(worker, { maxJobs, requestId });
  return outcome.kind === 'claimed' ? outcome.jobs.map(({ id }) => id) : outcome.kind;
}

describe('claims', () => {
  it('of many workers at once give each job to one of them', async () => {
    for (let index = 0; index < 20; index += 1) await rig.submit();
    const processes = Array.from({ length: 5 }, () => rig.another());
    const taken: string[] = [];
    while (taken.length < 20) {
      const lists = await Promise.all(processes.map((process, index) => claimedBy(process, `w${index}`, null, 3)));
      const ids = lists.flat();
      expect(ids.length).toBeGreaterThan(0);
      taken.push(...ids);
    }
    expect(new Set(taken).size).toBe(20);
  });

  it('on one and the same row, at the same version, are one: the append decides', async () => {
    const { job } = await rig.submit();
    const other = rig.another();
    // Both picked before either appended: the mark of the first is taken off.
    rig.log.beforeNextAppend(async () => {
      await rig.unmark(job.id);
      expect(await claimedBy(other, 'fast')).toEqual([job.id]);
    });
    expect(await claimedBy(rig, 'slow')).toEqual([]);
    expect(await rig.typesOf(job.id)).toEqual(['Submitted', 'Claimed']);
    expect((await rig.commands.read(job.id))?.job).toMatchObject({ lease: { workerId: 'fast' }, fencingToken: 1 });
  });

  it('that meet a cancelled job write nothing to it and take the others', async () => {
    const [one, two] = [await rig.submit(), await rig.submit()];
    rig.log.beforeNextAppend(() => rig.another().execute(one.job.id, CANCEL));
    expect(await claimedBy(rig, 'w')).toEqual([two.job.id]);
    expect(await rig.typesOf(one.job.id)).toEqual(['Submitted', 'Cancelled']);
  });

  it('leave a row alone after a refusal until it moves', async () => {
    const { job } = await rig.submit();
    const due = rig.tables.dueJobs;
    const { candidates } = await due.pick({ queues: null, types: null, limit: 1, now: rig.clock.now() });
    await rig.unmark(job.id);
    await rig.done(job.id, { kind: 'reschedule', scheduledAt: null, priority: 1 });
    // A picker that got the row before it moved.
    const stale: DueJobs = {
      pick: async () => ({ candidates, nextDueAt: null, hasOverdue: false }),
      overdue: (now, limit) => due.overdue(now, limit),
      withhold: (refused) => due.withhold(refused),
    };
    expect(await claimedBy(rig.another(rig.clock, stale), 'stale')).toEqual([]);
    // The refusal was of version 0; the row is at 1 and free.
    expect(await claimedBy(rig, 'w')).toEqual([job.id]);
  });

  it('by a process whose clock is a little behind do not hide a job whose time has come', async () => {
    const { job } = await rig.submit({ delay_seconds: 1 });
    rig.clock.advance(1000);
    // The first pick finds it due and marks it; its process dies before it claims.
    await rig.tables.dueJobs.pick({ queues: null, types: null, limit: 1, now: rig.clock.now() });
    await rig.unmark(job.id);
    const behind = rig.another(new ManualClock(rig.clock.now() - 5));
    expect(await claimedBy(behind, 'behind')).toEqual([]);
    rig.clock.advance(2000);
    expect(await claimedBy(rig, 'w')).toEqual([job.id]);
  });

  it('tell the position of the last Claimed, and none when nothing was due', async () => {
    await rig.submit();
    const { job } = await rig.submit();
    const outcome = await rig.claimMany('w', { maxJobs: 2 });
    const last = (await rig.eventsOf(job.id)).at(-1);
    expect(outcome).toMatchObject({ kind: 'claimed', position: last?.position });
    expect(await rig.claimMany('w')).toEqual({ kind: 'claimed', jobs: [], position: null, nextDueAt: null });
  });

  it('bear the lease and the request that were asked for', async () => {
    await rig.submit();
    const job = await rig.claim('w', { leaseSeconds: 90, requestId: 'r' });
    const lease = { workerId: 'w', seconds: 90, requestId: 'r', expiresAt: rig.clock.now() + 90_000 };
    expect(job.lease).toEqual(lease);
  });
});

describe('a lease call that is repeated with its request id', () => {
  it('gets the leases that are still held, and claims no more', async () => {
    for (let index = 0; index < 4; index += 1) await rig.submit();
    const first = await claimedBy(rig, 'w', 'r', 2);
    expect(first).toHaveLength(2);
    expect(new Set(await claimedBy(rig.another(), 'w', 'r', 2))).toEqual(new Set(first));
    await rig.done(first[0] as string, complete(1));
    expect(await claimedBy(rig, 'w', 'r', 2)).toEqual([first[1]]);
  });

  it('gets them in the order of the first answer, however their rows lie', async () => {
    await rig.submit({ priority: -5 });
    await rig.submit();
    await rig.submit({ priority: 5 });
    const first = await claimedBy(rig, 'w', 'r');
    expect(first).toHaveLength(3);
    // The rows lie in the order of their ids from here on, which is the opposite one.
    await rig.tables.pool.query('CLUSTER due_jobs USING due_jobs_pkey');
    expect(await claimedBy(rig.another(), 'w', 'r')).toEqual(first);
  });

  it('shows the lease as the last beat left it', async () => {
    const { job } = await rig.submit();
    await claimedBy(rig, 'w', 'r');
    rig.clock.advance(10_000);
    await rig.done(job.id, beat(1));
    const repeated = await rig.claimMany('w', { requestId: 'r' });
    expect(repeated).toMatchObject({ jobs: [{ fencingToken: 1, lease: { expiresAt: rig.clock.now() + 30_000 } }] });
  });

  it('claims anew when none is held any more', async () => {
    const { job } = await rig.submit();
    await claimedBy(rig, 'w', 'r');
    await rig.done(job.id, release(1));
    expect(await claimedBy(rig, 'w', 'r')).toEqual([job.id]);
    expect((await rig.commands.read(job.id))?.job.fencingToken).toBe(2);
  });

  it('loses nothing when the first answer was lost', async () => {
    const { job } = await rig.submit();
    rig.log.afterNextAppend(() => {
      throw new LogUnavailable('the answer was lost');
    });
    await expect(rig.claimMany('w', { requestId: 'r' })).rejects.toThrow(LogUnavailable);
    expect(await claimedBy(rig, 'w', 'r')).toEqual([job.id]);
    expect(await rig.typesOf(job.id)).toEqual(['Submitted', 'Claimed']);
  });

  it('is refused to another worker', async () => {
    await rig.submit();
    await claimedBy(rig, 'w', 'r');
    expect(await claimedBy(rig, 'thief', 'r')).toBe('request-id-reused');
  });

  it('is refused to another worker as long as beats keep the leases', async () => {
    const { job } = await rig.submit();
    await claimedBy(rig, 'w', 'r');
    for (let beats = 0; beats < 4; beats += 1) {
      rig.clock.advance(20_000);
      await rig.done(job.id, beat(1));
    }
    expect(await claimedBy(rig, 'thief', 'r')).toBe('request-id-reused');
    expect(await claimedBy(rig, 'w', 'r')).toEqual([job.id]);
  });

  it('shows no lease of another worker, even one claimed by a call that was frozen until the id was free', async () => {
    const { job } = await rig.submit();
    rig.log.beforeNextAppend(async () => {
      rig.clock.advance(10_000);
      expect(await rig.another().claimMany('v', { requestId: 'r', queues: ['elsewhere'] })).toMatchObject({ jobs: [] });
    });
    expect(await claimedBy(rig, 'w', 'r')).toEqual([job.id]);
    expect(await rig.claimMany('v', { requestId: 'r', queues: ['elsewhere'] })).toMatchObject({ jobs: [] });
  });

  it('is in progress while the first is under way', async () => {
    await rig.submit();
    const other = rig.another();
    let meanwhile: unknown;
    rig.log.beforeNextAppend(async () => {
      meanwhile = await claimedBy(other, 'w', 'r');
    });
    expect(await claimedBy(rig, 'w', 'r')).toHaveLength(1);
    expect(meanwhile).toBe('in-progress');
  });

  it('tells a position with the leases it found, in another process, too', async () => {
    const { job } = await rig.submit();
    await claimedBy(rig, 'w', 'r');
    const repeated = await rig.another().claimMany('w', { requestId: 'r' });
    expect(repeated).toMatchObject({ position: (await rig.eventsOf(job.id)).at(-1)?.position });
  });
});
