import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Commands } from '#commands/contract';
import { createCommands } from '#commands/create-commands';
import { KnownJobs } from '#commands/known-jobs';
import type { RunningJob } from '#domain/job/state';
import { streamNames } from '#domain/streams';
import { MemoryLog } from '#log/memory/store';
import type { EventLog } from '#log/port';
import { newId } from '#runtime/ids';
import { claimedBy, NOON, running as runningJob, submittedJob } from '../domain/jobs.ts';
import { ManualClock } from '../support/clock.ts';
import { ANYBODY, beat, CANCEL, codeOf, complete, first, openRig, type Rig, release, submitItem } from './rig.ts';
import { WatchedLog } from './watched-log.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

describe('a process that wrote the last event of a running job', () => {
  it('reads nothing for 5,000 beats and the outcome', async () => {
    const log = new WatchedLog(new MemoryLog());
    const commands = commandsWithoutTables(log);
    const submitted = first(await commands.submit([submitItem()], ANYBODY));
    const jobId = submitted.job.id;
    const claim = { kind: 'claim', workerId: 'w', leaseSeconds: null, requestId: null } as const;
    await commands.execute([{ jobId, command: claim }], ANYBODY);
    log.reads.length = 0;
    for (let progress = 0; progress < 5000; progress += 1) {
      await commands.execute([{ jobId, command: { kind: 'heartbeat', fencingToken: 1, progress } }], ANYBODY);
    }
    const done = first(await commands.execute([{ jobId, command: complete(1) }], ANYBODY));
    expect(done).toMatchObject({ kind: 'done', job: { status: 'succeeded', version: 5002, progress: 4999 } });
    expect(log.reads).toEqual([]);
  });

  it('reads nothing for a batch of claims and a batch of outcomes', async () => {
    await rig.commands.submit(
      Array.from({ length: 20 }, () => ({ request: {}, sent: {}, idempotencyKey: null })),
      { actor: 'anonymous' },
    );
    rig.log.reads.length = 0;
    const outcome = await rig.claimMany('w', { maxJobs: 20 });
    const jobs = outcome.kind === 'claimed' ? outcome.jobs : [];
    const done = await rig.commands.execute(
      jobs.map(({ id, fencingToken }) => ({ jobId: id, command: complete(fencingToken) })),
      { actor: 'worker:w' },
    );
    expect(done.map(codeOf)).toEqual(Array.from({ length: 20 }, () => 'done'));
    expect(rig.log.reads).toEqual([]);
  });
});

describe('a job that was remembered and has moved on since', () => {
  it('is no reason to refuse: the holder of the new token is heard', async () => {
    const { job } = await rig.submit();
    await rig.claim('w');
    const other = rig.another();
    await other.done(job.id, release(1));
    await other.claim('w');
    expect((await rig.done(job.id, complete(2))).job.status).toBe('succeeded');
  });

  it('is no reason to refuse a beat after a cancel and a beat elsewhere', async () => {
    const { job } = await rig.submit();
    await rig.claim();
    const other = rig.another();
    await other.done(job.id, CANCEL);
    await other.done(job.id, beat(1));
    expect((await rig.done(job.id, beat(1))).job).toMatchObject({ version: 4, cancel: { reason: 'not needed' } });
  });

  it('is no reason to accept: the old holder is refused on what is read', async () => {
    const { job } = await rig.submit();
    await rig.claim();
    const other = rig.another();
    await other.done(job.id, release(1));
    await other.claim('w2');
    rig.log.reads.length = 0;
    expect(codeOf(await rig.execute(job.id, complete(1)))).toBe('lease-lost');
    expect(rig.log.reads.length).toBeGreaterThan(0);
  });
});

describe('what is remembered', () => {
  const jobOf = (id: string, bytes: number): RunningJob => ({
    ...runningJob(claimedBy(submittedJob(), 'w', NOON)),
    id,
    payload: { text: 'x'.repeat(bytes) },
  });

  it('is bounded: the longest unused make room', () => {
    const known = new KnownJobs();
    for (let index = 0; index < 200; index += 1) known.keep({ job: jobOf(`j${index}`, 256 * 1024), position: 'p' });
    expect(known.get('j0')).toBeUndefined();
    expect(known.get('j199')).toBeDefined();
    const kept = Array.from({ length: 200 }, (_, index) => known.get(`j${index}`)).filter(Boolean);
    expect(kept.length).toBeGreaterThan(100);
    expect(kept.length).toBeLessThanOrEqual(128);
  });

  it('keeps what was written last, and its room is free again when it is forgotten', () => {
    const known = new KnownJobs();
    known.keep({ job: jobOf('a', 10), position: 'p1' });
    for (let time = 0; time < 300; time += 1) {
      known.keep({ job: jobOf('b', 256 * 1024), position: 'p2' });
      known.forget('b');
    }
    known.keep({ job: jobOf('b', 10), position: 'p3' });
    expect([known.get('a')?.position, known.get('b')?.position]).toEqual(['p1', 'p3']);
  });
});

/** Commands on a log alone: what picks jobs or remembers lease calls is not asked. */
function commandsWithoutTables(log: EventLog): Commands {
  const unasked = () => Promise.reject(new Error('no table was to be asked'));
  return createCommands({
    log,
    names: streamNames(),
    clock: new ManualClock(),
    random: () => 1,
    newId: () => newId(NOON),
    due: { pick: unasked, overdue: unasked, withhold: unasked },
    leaseRequests: { begin: unasked, finish: unasked, held: unasked },
    keyWindowSeconds: 86_400,
    observe: { written: () => {}, conflict: () => {}, staleWrite: () => {} },
  });
}
