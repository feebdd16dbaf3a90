import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ANYBODY, deadJob, openRig, type Rig, submitItem } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

async function submittedCount(): Promise<number> {
  const { events } = await rig.tables.log.readAll(null, 1000);
  return events.filter(({ type }) => type === 'Submitted').length;
}

async function written(items: Parameters<Rig['commands']['submitAtomically']>[0]) {
  const outcome = await rig.commands.submitAtomically(items, ANYBODY);
  if (outcome.kind !== 'written') throw new Error(JSON.stringify(outcome));
  return outcome.outcomes.map(({ kind }) => kind);
}

describe('a submit of many jobs that goes in whole or not at all', () => {
  it('writes all of them in one append', async () => {
    const items = [submitItem({}, 'a'), submitItem({}), submitItem({}, 'b')];
    expect(await written(items)).toEqual(['created', 'created', 'created']);
    expect(await submittedCount()).toBe(3);
  });

  it('counts a key that was used for the same request as submitted, in the bulk or before it', async () => {
    await rig.submit({}, 'a');
    expect(await written([submitItem({}, 'a'), submitItem({}, 'b'), submitItem({}, 'b')])).toEqual([
      'replayed',
      'created',
      'replayed',
    ]);
    expect(await submittedCount()).toBe(2);
  });

  it('writes nothing when a key was used for another request', async () => {
    const { job } = await rig.submit({}, 'a');
    const items = [submitItem({}), submitItem({ priority: 1 }, 'a'), submitItem({}, 'b')];
    const outcome = await rig.commands.submitAtomically(items, ANYBODY);
    expect(outcome).toMatchObject({ kind: 'refused', conflicts: [{ index: 1, job: { id: job.id } }] });
    expect(await submittedCount()).toBe(1);
  });

  it('writes nothing when two of its own items clash', async () => {
    const items = [submitItem({}, 'a'), submitItem({ priority: 1 }, 'a')];
    const outcome = await rig.commands.submitAtomically(items, ANYBODY);
    expect(outcome).toEqual({ kind: 'refused', conflicts: [{ index: 1, job: null }] });
    expect(await submittedCount()).toBe(0);
  });

  it('writes nothing when another writer takes a key for another request in between', async () => {
    rig.log.beforeNextAppend(() => rig.another().submit({ priority: 1 }, 'b'));
    const outcome = await rig.commands.submitAtomically([submitItem({}, 'a'), submitItem({}, 'b')], ANYBODY);
    expect(outcome).toMatchObject({ kind: 'refused', conflicts: [{ index: 1 }] });
    expect(await submittedCount()).toBe(1);
  });

  it('moves on to the next use of a key whose window is over', async () => {
    const old = await deadJob(rig, {}, 'a');
    rig.clock.advance(86_400_000);
    expect(await written([submitItem({}), submitItem({}, 'a')])).toEqual(['created', 'created']);
    expect((await rig.commands.read(old.id))?.job.keyReleased).toBe(true);
  });
});
