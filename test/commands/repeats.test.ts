import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JobCommand } from '#domain/job/commands';
import { LogUnavailable } from '#log/port';
import { beat, CANCEL, codeOf, complete, fail, openRig, REPLAY, type Rig, release } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

const OUTCOMES: [string, JobCommand, string][] = [
  ['a success', complete(1), 'succeeded'],
  ['a failure', fail(1), 'pending'],
  ['a last failure', fail(1, false), 'dead'],
  ['a release', release(1), 'pending'],
];

async function running(): Promise<string> {
  const { job } = await rig.submit({ retry: { strategy: 'fixed', delay_seconds: 0 } });
  await rig.claim();
  return job.id;
}

/** Nothing is added to the stream by what is done. */
async function writesNothing<T>(jobId: string, action: () => Promise<T>): Promise<T> {
  const before = await rig.typesOf(jobId);
  const result = await action();
  expect(await rig.typesOf(jobId)).toEqual(before);
  return result;
}

describe.each(OUTCOMES)('%s that is reported again', (_, outcome, status) => {
  it('is answered with the job as it is, and nothing is written', async () => {
    const id = await running();
    const reported = await rig.done(id, outcome);
    expect(reported).toMatchObject({ changed: true, job: { status } });
    for (const process of [rig, rig.another()]) {
      const again = await writesNothing(id, () => process.done(id, outcome));
      expect(again).toEqual({ kind: 'done', changed: false, job: reported.job, position: reported.position });
      expect(process.observed.staleWrites).toBe(0);
    }
  });

  it('is lease-lost with another body or another token', async () => {
    const id = await running();
    await rig.done(id, outcome);
    const others: JobCommand[] = [
      complete(1, { other: true }),
      { ...fail(1), retryAfterSeconds: 9 } as JobCommand,
      release(1),
      beat(1),
      complete(2),
    ];
    for (const other of others.filter(({ kind }) => kind !== outcome.kind || kind !== 'release')) {
      expect(codeOf(await writesNothing(id, () => rig.execute(id, other)))).toBe('lease-lost');
    }
  });

  it('is known though its first answer was lost', async () => {
    const id = await running();
    rig.log.afterNextAppend(() => {
      throw new LogUnavailable('the answer was lost');
    });
    await expect(rig.execute(id, outcome)).rejects.toThrow(LogUnavailable);
    const again = await writesNothing(id, () => rig.done(id, outcome));
    expect(again.job).toMatchObject({ status, fencingToken: 1 });
    expect(again.position).toBe((await rig.eventsOf(id)).at(-1)?.position);
  });
});

describe('an outcome that is reported again', () => {
  it.each([fail(1), release(1)])('is known after the job was claimed and finished again: $kind', async (outcome) => {
    const id = await running();
    await rig.done(id, outcome);
    const again = await rig.claim('other');
    expect(again.fencingToken).toBe(2);
    expect((await writesNothing(id, () => rig.done(id, outcome))).job).toMatchObject({
      status: 'running',
      fencingToken: 2,
    });
    await rig.done(id, complete(2));
    expect((await writesNothing(id, () => rig.done(id, outcome))).job.status).toBe('succeeded');
  });

  it('is known after a replay', async () => {
    const id = await running();
    await rig.done(id, fail(1, false));
    await rig.done(id, REPLAY);
    expect((await writesNothing(id, () => rig.done(id, fail(1, false)))).job).toMatchObject({
      status: 'pending',
      replays: 1,
    });
  });

  it('means the same whatever the order of its members', async () => {
    const id = await running();
    await rig.done(id, complete(1, { a: 1, b: 2 }));
    expect((await writesNothing(id, () => rig.done(id, complete(1, { b: 2, a: 1 })))).changed).toBe(false);
  });
});

describe('a worker that lost its job', () => {
  it.each<[string, JobCommand]>([
    ['heartbeat', beat(1)],
    ['progress', { kind: 'heartbeat', fencingToken: 1, progress: { done: 1 } }],
    ['success', complete(1)],
    ['failure', fail(1)],
    ['release', release(1)],
  ])('gets lease-lost and changes nothing by its %s', async (_, late) => {
    const id = await running();
    rig.clock.advance(30_000);
    await rig.commands.sweep();
    expect(codeOf(await writesNothing(id, () => rig.execute(id, late)))).toBe('lease-lost');
    await rig.another().claim('other');
    expect(codeOf(await writesNothing(id, () => rig.execute(id, late)))).toBe('lease-lost');
    expect(rig.observed.staleWrites).toBe(2);
    await rig.another().done(id, complete(2));
    expect(codeOf(await writesNothing(id, () => rig.execute(id, late)))).toBe('lease-lost');
  });

  it('is not one while no event has ended its lease, however late it is', async () => {
    for (const outcome of [beat(1), complete(1)]) {
      const id = await running();
      rig.clock.advance(3_600_000);
      expect((await rig.done(id, outcome)).changed).toBe(true);
      await rig.execute(id, complete(1));
    }
  });

  it('gets nowhere with the token of another job', async () => {
    const one = await running();
    await rig.done(one, release(1));
    await rig.claim();
    const two = await running();
    expect(codeOf(await writesNothing(two, () => rig.execute(two, complete(2))))).toBe('lease-lost');
    expect((await rig.commands.read(one))?.job.status).toBe('running');
  });
});

describe('a heartbeat whose answer was lost', () => {
  it('may be sent again, and the lease is held', async () => {
    const id = await running();
    rig.log.afterNextAppend(() => {
      throw new LogUnavailable('the answer was lost');
    });
    await expect(rig.execute(id, beat(1))).rejects.toThrow(LogUnavailable);
    expect((await rig.done(id, beat(1))).job.status).toBe('running');
  });
});

describe('an append whose answer was lost', () => {
  it('is known by the log when the writer asks again, and the job is read for the answer', async () => {
    const id = await running();
    // The other process has written the very outcome while this one decides on what it remembers.
    rig.log.beforeNextAppend(() => rig.another().execute(id, complete(1)));
    const outcome = await rig.done(id, complete(1));
    expect(outcome.job).toMatchObject({ status: 'succeeded', version: 2 });
    expect(await rig.typesOf(id)).toEqual(['Submitted', 'Claimed', 'Succeeded']);
    expect(rig.observed.written.filter((type) => type === 'Succeeded')).toHaveLength(0);
  });

  it('of a cancel may be sent again', async () => {
    const id = await running();
    rig.log.afterNextAppend(() => {
      throw new LogUnavailable('the answer was lost');
    });
    await expect(rig.execute(id, CANCEL)).rejects.toThrow(LogUnavailable);
    expect(await writesNothing(id, () => rig.done(id, CANCEL))).toMatchObject({ changed: false });
  });
});
