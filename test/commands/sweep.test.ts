import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { beat, CANCEL, openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

const status = async (jobId: string) => (await rig.commands.read(jobId))?.job.status;

describe('the sweep', () => {
  it('ends no lease before its time', async () => {
    const { job } = await rig.submit();
    await rig.claim();
    rig.clock.advance(29_999);
    expect(await rig.commands.sweep()).toBe(0);
    expect(await status(job.id)).toBe('running');
  });

  it('gives the job back for a retry after the backoff, the attempt used up', async () => {
    const { job } = await rig.submit();
    await rig.claim();
    rig.clock.advance(30_000);
    expect(await rig.commands.sweep()).toBe(1);
    expect(await rig.typesOf(job.id)).toEqual(['Submitted', 'Claimed', 'Failed']);
    expect((await rig.eventsOf(job.id)).at(-1)).toMatchObject({
      data: { why: 'lease-expired', retry_at: new Date(rig.clock.now() + 1000).toISOString() },
      metadata: { actor: 'system:sweeper' },
    });
    expect(await rig.commands.sweep()).toBe(0);
    rig.clock.advance(1000);
    expect(await rig.claim('other')).toMatchObject({ id: job.id, attempt: 2, fencingToken: 2 });
  });

  it('buries a job whose attempts are used up', async () => {
    const { job } = await rig.submit({ max_attempts: 1, max_crashes: 9 });
    await rig.claim();
    rig.clock.advance(30_000);
    await rig.commands.sweep();
    expect((await rig.commands.read(job.id))?.job).toMatchObject({ status: 'dead', deadReason: 'attempts' });
  });

  it('buries a job that has cost its workers their lives, after as many starts as it may', async () => {
    const { job } = await rig.submit({ max_attempts: 9, max_crashes: 3 });
    let starts = 0;
    while ((await status(job.id)) === 'pending') {
      await rig.claim();
      starts += 1;
      rig.clock.advance(30_000);
      await rig.commands.sweep();
      rig.clock.advance(3_600_000);
    }
    expect(starts).toBe(3);
    expect((await rig.commands.read(job.id))?.job).toMatchObject({ status: 'dead', deadReason: 'crashes' });
  });

  it('cancels a job whose cancel was asked for, when its lease ends', async () => {
    const { job } = await rig.submit();
    await rig.claim();
    await rig.done(job.id, CANCEL);
    rig.clock.advance(30_000);
    await rig.commands.sweep();
    expect((await rig.typesOf(job.id)).slice(2)).toEqual(['CancelRequested', 'Failed', 'Cancelled']);
  });

  it('cancels it when the grace is over, though beats keep the lease alive', async () => {
    const { job } = await rig.submit();
    await rig.claim();
    await rig.done(job.id, CANCEL);
    rig.clock.advance(29_000);
    await rig.done(job.id, beat(1));
    expect(await rig.commands.sweep()).toBe(0);
    rig.clock.advance(1000);
    expect(await rig.commands.sweep()).toBe(1);
    expect((await rig.typesOf(job.id)).slice(2)).toEqual(['CancelRequested', 'Heartbeat', 'Cancelled']);
  });

  it('writes one event when two sweep the same job at once', async () => {
    const { job } = await rig.submit();
    await rig.claim();
    rig.clock.advance(30_000);
    const other = rig.another();
    rig.log.beforeNextAppend(async () => {
      await rig.unmark(job.id);
      expect(await other.commands.sweep()).toBe(1);
    });
    expect(await rig.commands.sweep()).toBe(0);
    expect(await rig.typesOf(job.id)).toEqual(['Submitted', 'Claimed', 'Failed']);
  });

  it('leaves a job alone whose holder beat just before', async () => {
    const { job } = await rig.submit();
    await rig.claim();
    rig.clock.advance(30_000);
    rig.log.beforeNextAppend(() => rig.another().execute(job.id, beat(1)));
    expect(await rig.commands.sweep()).toBe(0);
    expect(await status(job.id)).toBe('running');
    rig.clock.advance(30_000);
    expect(await rig.commands.sweep()).toBe(1);
  });

  it('is done by every lease call first, so that a dead worker is found without any sweeper', async () => {
    const { job } = await rig.submit({ retry: { strategy: 'fixed', delay_seconds: 0 } });
    await rig.claim();
    rig.clock.advance(30_000);
    expect(await rig.another().claim('other')).toMatchObject({ id: job.id, attempt: 2, fencingToken: 2 });
    expect(await rig.typesOf(job.id)).toEqual(['Submitted', 'Claimed', 'Failed', 'Claimed']);
  });

  it('of six processes ends each of many leases once', async () => {
    const ids = (await Promise.all(Array.from({ length: 40 }, () => rig.submit()))).map(({ job }) => job.id);
    await rig.claimMany('w', { maxJobs: 40 });
    rig.clock.advance(30_000);
    const moved = await Promise.all(Array.from({ length: 6 }, () => rig.another().commands.sweep()));
    expect(moved.reduce((sum, count) => sum + count)).toBe(40);
    for (const id of ids) expect(await rig.typesOf(id)).toEqual(['Submitted', 'Claimed', 'Failed']);
  });
});
