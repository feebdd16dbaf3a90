import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ANYBODY, codeOf, complete, deadJob, fail, openRig, REPLAY, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

const CHANGES = { payload: { path: 'b.png' }, maxAttempts: null, reason: null };

async function replayed(jobId: string, changes: Partial<typeof CHANGES> = {}) {
  const outcome = await rig.commands.replayAsNew(jobId, { ...CHANGES, ...changes }, ANYBODY);
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  return outcome;
}

describe('a replay with another payload', () => {
  it('makes a new job that names the old one, which stays dead', async () => {
    const old = await deadJob(rig, {
      queue: 'images',
      payload: { path: 'a.png' },
      priority: 7,
      tags: ['vip'],
      max_attempts: 3,
    });
    const { job, changed } = await replayed(old.id);
    expect(changed).toBe(true);
    expect(job).toMatchObject({
      status: 'pending',
      type: 'images',
      queue: 'images',
      payload: { path: 'b.png' },
      priority: 7,
      tags: ['vip'],
      maxAttempts: 3,
      fencingToken: 0,
      idempotencyKey: null,
      origin: { kind: 'replay-as-new', job_id: old.id },
    });
    expect((await rig.commands.read(old.id))?.job).toEqual(old);
    const claimed = await rig.claim();
    expect(claimed.id).toBe(job.id);
    expect((await rig.done(job.id, complete(1))).job.status).toBe('succeeded');
  });

  it('names the last event of the old job as its cause', async () => {
    const old = await deadJob(rig);
    const { job } = await replayed(old.id);
    const [submitted] = await rig.eventsOf(job.id);
    expect(submitted?.metadata.$causationId).toBe((await rig.eventsOf(old.id)).at(-1)?.id);
  });

  it('makes one job however often it is pressed, and another for another change', async () => {
    const old = await deadJob(rig);
    const processes = [rig, rig.another(), rig.another()];
    const outcomes = await Promise.all(processes.map(({ commands }) => commands.replayAsNew(old.id, CHANGES, ANYBODY)));
    const ids = outcomes.map((outcome) => outcome.kind === 'done' && outcome.job.id);
    expect(new Set(ids).size).toBe(1);
    expect(outcomes.filter((outcome) => outcome.kind === 'done' && outcome.changed)).toHaveLength(1);
    expect((await replayed(old.id, { payload: { path: 'c.png' } })).job.id).not.toBe(ids[0]);
    expect((await replayed(old.id)).changed).toBe(false);
  });

  it('makes a further job after the old one lived and died again', async () => {
    const old = await deadJob(rig);
    const one = await replayed(old.id);
    await rig.claim();
    await rig.done(one.job.id, complete(1));
    await rig.done(old.id, REPLAY);
    const claimed = await rig.claim();
    await rig.done(old.id, fail(claimed.fencingToken, false));
    expect((await replayed(old.id)).job.id).not.toBe(one.job.id);
  });

  it('is for dead jobs only', async () => {
    const { job } = await rig.submit();
    expect(codeOf(await rig.commands.replayAsNew(job.id, CHANGES, ANYBODY))).toBe('not-dead');
    const nowhere = await rig.commands.replayAsNew('01937d2e-8c4a-7b1e-9f00-5a1c2d3e4f50', CHANGES, ANYBODY);
    expect(nowhere.kind).toBe('not-found');
  });
});
