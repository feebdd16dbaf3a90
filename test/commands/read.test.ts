import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { beat, CANCEL, complete, openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

const NOBODY = '01937d2e-8c4a-7b1e-9f00-5a1c2d3e4f50';

async function finishedJob() {
  const { job } = await rig.submit();
  rig.clock.advance(1000);
  await rig.claim();
  rig.clock.advance(1000);
  await rig.done(job.id, complete(1));
  return job;
}

describe('a job that is read', () => {
  it('is folded from its stream, with the position of its last event', async () => {
    const { id } = await finishedJob();
    const at = await rig.commands.read(id);
    expect(at?.job).toMatchObject({ status: 'succeeded', version: 2 });
    expect(at?.position).toBe((await rig.eventsOf(id)).at(-1)?.position);
    expect(await rig.commands.read(NOBODY)).toBeNull();
  });

  it('is shown as it was at a version or at an instant, both inclusive', async () => {
    const { id, createdAt } = await finishedJob();
    const statusAt = async (upTo: { version?: number; asOf?: number }) =>
      (await rig.commands.read(id, upTo))?.job.status;
    expect(await statusAt({ version: 0 })).toBe('pending');
    expect(await statusAt({ version: 1 })).toBe('running');
    expect(await statusAt({ asOf: createdAt + 999 })).toBe('pending');
    expect(await statusAt({ asOf: createdAt + 1000 })).toBe('running');
    expect(await rig.commands.read(id, { asOf: createdAt - 1 })).toBeNull();
  });

  it('has a history in pages, and none when there is no such job', async () => {
    const { id } = await finishedJob();
    const types = async (from: number, limit: number) =>
      (await rig.commands.history(id, { from, limit }))?.map(({ type }) => type);
    expect(await types(0, 2)).toEqual(['Submitted', 'Claimed']);
    expect(await types(2, 2)).toEqual(['Succeeded']);
    expect(await types(3, 2)).toEqual([]);
    expect(await rig.commands.history(NOBODY, { from: 0, limit: 2 })).toBeNull();
  });
});

describe('the position of an answer', () => {
  it('is that of the event written, or of the last event read where nothing was', async () => {
    const { job } = await rig.submit();
    await rig.claim();
    const last = async () => (await rig.eventsOf(job.id)).at(-1)?.position;
    expect((await rig.done(job.id, beat(1))).position).toBe(await last());
    expect((await rig.done(job.id, CANCEL)).position).toBe(await last());
    expect(await rig.done(job.id, CANCEL)).toMatchObject({ changed: false, position: await last() });
    const refused = await rig.execute(job.id, complete(9));
    expect(refused).toMatchObject({ kind: 'rejected', position: await last() });
  });
});

describe('the presence of a worker', () => {
  it('is recorded when it comes and when it leaves, in a stream of its own', async () => {
    const worker = {
      workerId: 'w1',
      host: 'a',
      pid: 7,
      version: '1.0.0',
      queues: null,
      types: ['noop'],
      concurrency: 10,
    };
    const call = { actor: 'worker:w1' };
    await rig.commands.workerStarted(worker, call);
    rig.clock.advance(-5000);
    const position = await rig.commands.workerStopped('w1', call);
    const events = await rig.tables.log.readStream('worker-w1');
    expect(events.map(({ type, version }) => [type, version])).toEqual([
      ['WorkerStarted', 0],
      ['WorkerStopped', 1],
    ]);
    expect(events[0]?.data).toEqual({
      host: 'a',
      pid: 7,
      version: '1.0.0',
      queues: null,
      types: ['noop'],
      concurrency: 10,
    });
    expect(events[1]?.recordedAt).toBe(events[0]?.recordedAt);
    expect(events[1]?.position).toBe(position);
  });

  it('is recorded though another process calls itself the same at that moment', async () => {
    const facts = { host: 'a', pid: 7, version: '1.0.0', queues: null, types: null, concurrency: 1 };
    rig.log.beforeNextAppend(() => rig.another().commands.workerStopped('w1', { actor: 'worker:w1' }));
    await rig.commands.workerStarted({ workerId: 'w1', ...facts }, { actor: 'worker:w1' });
    expect(await rig.tables.log.readStream('worker-w1')).toHaveLength(2);
  });
});
