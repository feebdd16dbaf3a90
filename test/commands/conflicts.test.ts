import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '#domain/job/state';
import { ManualClock } from '../support/clock.ts';
import { ANYBODY, beat, CANCEL, codeOf, complete, fail, first, openRig, REPLAY, type Rig, release } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

describe('a command whose append is refused', () => {
  it('is decided again: a beat that a cancel came before is accepted and sees the cancel', async () => {
    const { job } = await rig.submit();
    await rig.claim();
    rig.log.beforeNextAppend(() => rig.another().execute(job.id, CANCEL));
    const beaten = await rig.done(job.id, beat(1));
    expect(beaten.job).toMatchObject({ status: 'running', cancel: { reason: 'not needed' } });
    expect(await rig.typesOf(job.id)).toEqual(['Submitted', 'Claimed', 'CancelRequested', 'Heartbeat']);
    expect(rig.observed.conflicts).toBe(1);
  });

  it('is decided again: a failure that a cancel came before ends in Cancelled and not in a retry', async () => {
    const { job } = await rig.submit();
    await rig.claim();
    rig.log.beforeNextAppend(() => rig.another().execute(job.id, CANCEL));
    expect((await rig.done(job.id, fail(1))).job.status).toBe('cancelled');
    expect((await rig.typesOf(job.id)).slice(2)).toEqual(['CancelRequested', 'Failed', 'Cancelled']);
    expect(await rig.done(job.id, fail(1))).toMatchObject({ changed: false, job: { status: 'cancelled' } });
  });

  it('is decided again: a release that a cancel came before ends in Cancelled, and its repeat is known', async () => {
    const { job } = await rig.submit();
    await rig.claim();
    rig.log.beforeNextAppend(() => rig.another().execute(job.id, CANCEL));
    expect((await rig.done(job.id, release(1))).job.status).toBe('cancelled');
    expect(await rig.done(job.id, release(1))).toMatchObject({ changed: false, job: { status: 'cancelled' } });
  });

  it('is refused on what it reads then: a cancel that a success came before is too late', async () => {
    const { job } = await rig.submit();
    await rig.claim();
    rig.log.beforeNextAppend(() => rig.another().execute(job.id, complete(1)));
    const outcome = await rig.execute(job.id, CANCEL);
    expect(outcome).toMatchObject({ kind: 'rejected', rejection: { code: 'already-final', status: 'succeeded' } });
    expect(await rig.typesOf(job.id)).toEqual(['Submitted', 'Claimed', 'Succeeded']);
  });

  it('is refused on what it reads then: a success that the sweep came before has lost its lease', async () => {
    const { job } = await rig.submit();
    await rig.claim();
    rig.log.beforeNextAppend(async () => {
      rig.clock.advance(30_000);
      expect(await rig.another().commands.sweep()).toBe(1);
    });
    expect(codeOf(await rig.execute(job.id, complete(1)))).toBe('lease-lost');
    expect(rig.observed.staleWrites).toBe(1);
    expect(await rig.typesOf(job.id)).toEqual(['Submitted', 'Claimed', 'Failed']);
  });

  it('is nothing when somebody did the same: two cancels at once are one', async () => {
    const { job } = await rig.submit();
    rig.log.beforeNextAppend(() => rig.another().execute(job.id, CANCEL));
    expect(await rig.done(job.id, CANCEL)).toMatchObject({ changed: false, job: { status: 'cancelled' } });
    expect(await rig.typesOf(job.id)).toEqual(['Submitted', 'Cancelled']);
  });

  it('holds to the version it was asked for: If-Match is refused once another writer came before', async () => {
    const { job } = await rig.submit();
    rig.log.beforeNextAppend(() =>
      rig.another().execute(job.id, { kind: 'reschedule', scheduledAt: null, priority: 1 }),
    );
    const outcome = first(await rig.commands.execute([{ jobId: job.id, command: CANCEL, ifVersion: 0 }], ANYBODY));
    expect(codeOf(outcome)).toBe('version-mismatch');
    expect((await rig.commands.read(job.id))?.job).toMatchObject({ status: 'pending', priority: 1, version: 1 });
  });

  it('is told apart from the others of its call', async () => {
    const [one, two] = [await rig.submit(), await rig.submit()];
    await rig.claimMany('w', { maxJobs: 2 });
    rig.log.beforeNextAppend(() => rig.another().execute(one.job.id, complete(1)));
    const outcomes = await rig.commands.execute(
      [
        { jobId: one.job.id, command: fail(1) },
        { jobId: two.job.id, command: complete(1) },
        { jobId: '01937d2e-8c4a-7b1e-9f00-5a1c2d3e4f50', command: complete(1) },
      ],
      ANYBODY,
    );
    expect(outcomes.map(codeOf)).toEqual(['lease-lost', 'done', 'not-found']);
  });
});

describe('many commands on one job', () => {
  it('of five processes at once leave one outcome and no refusal but lease-lost', async () => {
    const { job } = await rig.submit();
    await rig.claim();
    const processes = Array.from({ length: 5 }, () => rig.another());
    const outcomes = await Promise.all(
      processes.flatMap((process, index) => [
        process.execute(job.id, complete(1, { index })),
        process.execute(job.id, fail(1)),
      ]),
    );
    const ends = (await rig.typesOf(job.id)).slice(2);
    expect(ends).toHaveLength(1);
    for (const outcome of outcomes) expect(['done', 'lease-lost']).toContain(codeOf(outcome));
  });

  it('run in turn within one call, however many they are', async () => {
    const { job } = await rig.submit();
    await rig.claim();
    const beats = Array.from({ length: 120 }, () => ({ jobId: job.id, command: beat(1) }));
    const outcomes = await rig.commands.execute([...beats, { jobId: job.id, command: complete(1) }], ANYBODY);
    expect(outcomes.map(codeOf)).toEqual(Array.from({ length: 121 }, () => 'done'));
    expect(outcomes.map((outcome) => outcome.kind === 'done' && outcome.job.version)).toEqual(
      Array.from({ length: 121 }, (_, index) => index + 2),
    );
  });

  it('from many callers at once go in turn, and do not refuse one another', async () => {
    const { job } = await rig.submit();
    await rig.claim();
    const calls = Array.from({ length: 100 }, () => rig.execute(job.id, beat(1)));
    expect((await Promise.all(calls)).map(codeOf)).toEqual(Array.from({ length: 100 }, () => 'done'));
    expect(rig.observed.conflicts).toBe(0);
  });

  it('give up with an error when others move the job every single time', async () => {
    const { job } = await rig.submit();
    await rig.claim();
    const other = rig.another();
    for (let time = 0; time < 200; time += 1) rig.log.beforeNextAppend(() => other.execute(job.id, beat(1)));
    const outcome = await rig.execute(job.id, CANCEL);
    expect(outcome).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('nothing was written') },
    });
    expect(await rig.typesOf(job.id)).not.toContain('CancelRequested');
  });
});

describe('replays of one job', () => {
  it('by five clients at once are one, and the others are told that it is not dead', async () => {
    const { job } = await rig.submit();
    await rig.claim();
    await rig.done(job.id, fail(1, false));
    const processes = Array.from({ length: 5 }, () => rig.another());
    const outcomes = await Promise.all(processes.map((process) => process.execute(job.id, REPLAY)));
    expect(outcomes.map(codeOf).sort()).toEqual(['done', 'not-dead', 'not-dead', 'not-dead', 'not-dead']);
    expect((await rig.typesOf(job.id)).filter((type) => type === 'Replayed')).toHaveLength(1);
  });
});

describe('the time of an event', () => {
  it('is never earlier than that of the one before it, though the clock jumps back', async () => {
    const { job } = await rig.submit();
    const late = new ManualClock(rig.clock.now() - 3_600_000);
    const behind = rig.another(late);
    await rig.claim();
    await behind.done(job.id, beat(1));
    await behind.done(job.id, CANCEL);
    rig.clock.advance(5000);
    await rig.done(job.id, beat(1));
    await behind.done(job.id, fail(1));
    const times = (await rig.eventsOf(job.id)).map(({ recordedAt }) => recordedAt);
    expect(times).toEqual([...times].sort((one, other) => one - other));
  });
});

describe('what an event says of its origin', () => {
  it('is who asked, by which request, and after which event', async () => {
    const call = {
      actor: 'key:ops',
      requestId: 'req-9',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    };
    const { job } = await rig.submit();
    await rig.commands.execute([{ jobId: job.id, command: CANCEL }], call);
    const [submitted, cancelled] = await rig.eventsOf(job.id);
    expect(submitted?.metadata).toEqual({ schema_version: 1, actor: 'anonymous' });
    expect(cancelled?.metadata).toEqual({
      schema_version: 1,
      actor: 'key:ops',
      request_id: 'req-9',
      $causationId: submitted?.id,
      traceparent: call.traceparent,
    });
  });
});

describe('one of many commands', () => {
  it('that cannot be carried out keeps no other from it: its stream holds an event of a later version', async () => {
    const [odd, good] = [await rig.submit(), await rig.submit()];
    await appendUnknown(odd.job);
    const items = [odd, good].map(({ job }) => ({ jobId: job.id, command: CANCEL }));
    const outcomes = await rig.commands.execute(items, ANYBODY);
    expect(outcomes.map(codeOf)).toEqual(['failed', 'done']);
  });

  it('whose data the log refuses keeps no other from being written', async () => {
    const [odd, good] = [await rig.submit(), await rig.submit()];
    await rig.claimMany('w', { maxJobs: 2 });
    // An illegal move, slipped in behind the domain's back: the database refuses it.
    rig.log.spoilNextAppendOf(`job-${odd.job.id}`);
    const items = [odd, good].map(({ job }) => ({ jobId: job.id, command: complete(1) }));
    const outcomes = await rig.commands.execute(items, ANYBODY);
    expect(outcomes.map(codeOf)).toEqual(['failed', 'done']);
    expect(await rig.typesOf(odd.job.id)).toEqual(['Submitted', 'Claimed']);
    expect(await rig.typesOf(good.job.id)).toEqual(['Submitted', 'Claimed', 'Succeeded']);
  });

  it('reads only what came after what it was decided on', async () => {
    const { job } = await rig.submit();
    await rig.claim();
    rig.log.beforeNextAppend(() => rig.another().execute(job.id, CANCEL));
    await rig.done(job.id, beat(1));
    expect(rig.log.eventsRead).toEqual(['Claimed', 'CancelRequested']);
  });
});

/** What a later version of the program may write, and this one cannot read. */
async function appendUnknown(job: Job): Promise<void> {
  const folded = { ...job, version: job.version + 1 };
  const event = {
    id: randomUUID(),
    type: 'Forgotten',
    data: {},
    metadata: { schema_version: 1, actor: 'anonymous' },
    recordedAt: rig.clock.now(),
    mark: { status: job.status, fencingToken: job.fencingToken },
  };
  await rig.log.append([{ stream: `job-${job.id}`, expectedVersion: job.version, events: [event], folded }]);
}
