import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogUnavailable } from '#log/port';
import {
  ANYBODY,
  codeOf,
  complete,
  deadJob,
  fail,
  first,
  openRig,
  type Process,
  REPLAY,
  type Rig,
  submitItem,
} from './rig.ts';

const DAY_MS = 86_400_000;

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

async function jobCount(): Promise<number> {
  const { events } = await rig.tables.log.readAll(null, 10_000);
  return events.filter(({ type }) => type === 'Submitted').length;
}

describe('a submit with a key', () => {
  it('makes one job of 200 that come at once to two processes', async () => {
    const processes = [rig, rig.another()];
    const barrier = Promise.withResolvers<void>();
    const calls = Array.from({ length: 200 }, async (_, index) => {
      await barrier.promise;
      return (processes[index % 2] as Process).submit({ queue: 'email' }, 'order-17');
    });
    barrier.resolve();
    const outcomes = await Promise.all(calls);
    expect(new Set(outcomes.map(({ job }) => job.id)).size).toBe(1);
    expect(outcomes.filter(({ kind }) => kind === 'created')).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'replayed')).toHaveLength(199);
    expect(await jobCount()).toBe(1);
  });

  it('answers a repeat with the job as it is now, though its members come in another order', async () => {
    const { job } = await rig.submit({ payload: { a: 1, b: [2] }, queue: 'q' }, 'k');
    const claimed = await rig.claim();
    const done = await rig.done(job.id, complete(claimed.fencingToken));
    const repeat = await rig.submit({ queue: 'q', payload: { b: [2], a: 1 } }, 'k');
    expect(repeat).toMatchObject({ kind: 'replayed', job: { id: job.id, status: 'succeeded', version: 2 } });
    expect(repeat.position).toBe(done.position);
  });

  it('is a conflict when the request is another one, even by a default written out, and leaves the job alone', async () => {
    const { job } = await rig.submit({ payload: { a: 1 } }, 'k');
    for (const other of [
      { payload: { a: 2 } },
      { payload: { a: 1 }, queue: 'other' },
      { payload: { a: 1 }, priority: 0 },
    ]) {
      expect(await rig.submit(other, 'k')).toMatchObject({ kind: 'conflict', job: { id: job.id, version: 0 } });
    }
    expect(await rig.typesOf(job.id)).toEqual(['Submitted']);
    expect(await jobCount()).toBe(1);
  });

  it('finds the first item of the same bulk, and tells a clash within it', async () => {
    const items = [submitItem({}, 'k'), submitItem({}, 'k'), submitItem({ priority: 1 }, 'k'), submitItem({})];
    const outcomes = await rig.commands.submit(items, ANYBODY);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['created', 'replayed', 'conflict', 'created']);
    expect(await jobCount()).toBe(2);
  });

  it('names the same job after its answer was lost', async () => {
    rig.log.afterNextAppend(() => {
      throw new LogUnavailable('the answer was lost');
    });
    await expect(rig.submit({}, 'k')).rejects.toThrow(LogUnavailable);
    const repeat = await rig.submit({}, 'k');
    expect(repeat.kind).toBe('replayed');
    expect(await jobCount()).toBe(1);
  });
});

describe('the key of a finished job', () => {
  it('stays taken until the window is over, and then makes a second job', async () => {
    const old = await deadJob(rig, {}, 'k');
    rig.clock.advance(DAY_MS - 1);
    expect(await rig.submit({}, 'k')).toMatchObject({ kind: 'replayed', job: { id: old.id, status: 'dead' } });
    rig.clock.advance(1);
    const next = await rig.submit({ priority: 5 }, 'k');
    expect(next.kind).toBe('created');
    expect(next.job.id).not.toBe(old.id);
    expect(next.job.keyUse).toBe(1);
    const released = (await rig.eventsOf(old.id)).at(-1);
    expect(released).toMatchObject({ type: 'KeyReleased', version: old.version + 1 });
    expect(await rig.submit({ priority: 5 }, 'k')).toMatchObject({ kind: 'replayed', job: { id: next.job.id } });
  });

  it('is never released while the job lives, however old it is', async () => {
    const { job } = await rig.submit({}, 'k');
    rig.clock.advance(400 * DAY_MS);
    expect(await rig.submit({}, 'k')).toMatchObject({ kind: 'replayed', job: { id: job.id } });
    expect(await rig.typesOf(job.id)).toEqual(['Submitted']);
  });

  it('goes on to the third use and the fourth', async () => {
    const ids = new Set<string>();
    for (let use = 0; use < 4; use += 1) {
      const job = await deadJob(rig, {}, 'k');
      expect(job.keyUse).toBe(use);
      ids.add(job.id);
      rig.clock.advance(DAY_MS);
    }
    expect(ids.size).toBe(4);
  });

  it('makes one job of many submits that come at once when the window is over', async () => {
    const old = await deadJob(rig, {}, 'k');
    rig.clock.advance(DAY_MS);
    const processes = [rig, rig.another(), rig.another()];
    const calls = Array.from({ length: 60 }, (_, index) => (processes[index % 3] as Process).submit({}, 'k'));
    const outcomes = await Promise.all(calls);
    expect(new Set(outcomes.map(({ job }) => job.id)).size).toBe(1);
    expect(outcomes.filter(({ kind }) => kind === 'created')).toHaveLength(1);
    expect((await rig.typesOf(old.id)).filter((type) => type === 'KeyReleased')).toHaveLength(1);
  });

  it('cannot be had by a replay any more once it was released', async () => {
    const old = await deadJob(rig, {}, 'k');
    rig.clock.advance(DAY_MS);
    await rig.submit({}, 'k');
    expect(codeOf(await rig.execute(old.id, REPLAY))).toBe('unique-held');
    expect((await rig.commands.read(old.id))?.job.status).toBe('dead');
  });

  it('stays with a job that is replayed just before the release', async () => {
    const old = await deadJob(rig, {}, 'k');
    rig.clock.advance(DAY_MS);
    // The first append is the submit's try at the taken stream, the second the release of the key.
    rig.log.beforeNextAppend(async () => {});
    rig.log.beforeNextAppend(() => rig.another().execute(old.id, REPLAY));
    expect(await rig.submit({}, 'k')).toMatchObject({ kind: 'replayed', job: { id: old.id, status: 'pending' } });
    expect(await rig.typesOf(old.id)).not.toContain('KeyReleased');
  });

  it('stays with a job that is replayed and dies again just before the release', async () => {
    const old = await deadJob(rig, {}, 'k');
    rig.clock.advance(DAY_MS);
    const other = rig.another();
    rig.log.beforeNextAppend(async () => {});
    rig.log.beforeNextAppend(async () => {
      await other.done(old.id, REPLAY);
      const claimed = await other.claim();
      await other.done(old.id, fail(claimed.fencingToken, false));
    });
    expect(await rig.submit({}, 'k')).toMatchObject({
      kind: 'replayed',
      job: { id: old.id, status: 'dead', replays: 1 },
    });
    expect(await rig.typesOf(old.id)).not.toContain('KeyReleased');
  });

  it('is lost to a replay that comes just after the release', async () => {
    const old = await deadJob(rig, {}, 'k');
    rig.clock.advance(DAY_MS);
    const other = rig.another();
    other.log.beforeNextAppend(() => rig.submit({}, 'k'));
    expect(codeOf(await other.execute(old.id, REPLAY))).toBe('unique-held');
  });
});

describe('the position of a submit', () => {
  it('is that of its event when it was created, and of the last event read otherwise', async () => {
    const created = await rig.submit({}, 'k');
    expect(created.position).toBe(first(await rig.eventsOf(created.job.id)).position);
    await rig.done(created.job.id, { kind: 'reschedule', scheduledAt: null, priority: 3 });
    const last = (await rig.eventsOf(created.job.id)).at(-1);
    expect((await rig.submit({}, 'k')).position).toBe(last?.position);
    expect((await rig.submit({ priority: 9 }, 'k')).position).toBe(last?.position);
  });
});
