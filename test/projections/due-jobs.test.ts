import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { POSTGRES_SUBMITTED } from '#bin/postgres-submitted';
import type { DueJobs } from '#commands/ports';
import type { Job } from '#domain/job/state';
import { LogUnavailable, type StreamAppend } from '#log/port';
import { DueJobsTable } from '#projections/due-jobs/due-jobs';
import { JobHistory } from './histories.ts';
import { foldFromLog, openRig, type Rig } from './rig.ts';

const NOW = Date.UTC(2026, 10, 30, 12);
const ANY = { queues: null, types: null };

describe('due_jobs, written by the append', () => {
  let rig: Rig;
  let due: DueJobs;

  beforeAll(async () => {
    rig = await openRig();
    due = rig.dueJobs;
  });
  afterAll(() => rig.close());
  beforeEach(() => rig.pool.query('TRUNCATE due_jobs'));

  async function write(...appends: StreamAppend[]): Promise<void> {
    for (let from = 0; from < appends.length; from += 1000) await rig.log.append(appends.slice(from, from + 1000));
  }

  async function submitted(request: object = {}, now = NOW): Promise<JobHistory> {
    const job = new JobHistory();
    await write(job.submit(request, now));
    return job;
  }

  /** As if the two seconds of the offer were over. */
  async function unmark(jobIds: readonly string[]): Promise<void> {
    await rig.pool.query('UPDATE due_jobs SET offered_until = NULL WHERE job_id = ANY ($1)', [jobIds]);
  }

  async function picked(request: Partial<Parameters<DueJobs['pick']>[0]> = {}): Promise<string[]> {
    const { candidates } = await due.pick({ ...ANY, limit: 100, now: NOW, ...request });
    return candidates.map(({ job }) => job.id);
  }

  it('offers a submitted job with the very state that its stream folds to', async () => {
    const job = await submitted({ payload: { a: [1, 'ü', null] }, tags: ['x'], priority: 3, timeout_seconds: 9 });
    const { candidates } = await due.pick({ ...ANY, limit: 1, now: NOW });
    expect(candidates).toEqual([{ job: job.job }]);
    expect(candidates[0]?.job).toEqual(await foldFromLog(rig.log, job.id));
  });

  it('gives back running and retried jobs as they are, whatever their state holds', async () => {
    const job = await submitted({ retry: { strategy: 'fixed', delay_seconds: 1, jitter: 0 } });
    await write(job.claim(NOW, { requestId: 'r1' }));
    await write(
      job.step({ kind: 'heartbeat', fencingToken: 1, progress: { done: 0.5 }, checkpoint: 7 }, NOW) as StreamAppend,
    );
    const error = { message: 'no', code: 'E', stack: null };
    await write(
      job.step(
        { kind: 'fail', fencingToken: 1, error, why: 'error', retryable: true, retryAfterSeconds: null },
        NOW,
      ) as StreamAppend,
    );
    expect(await picked()).toEqual([]);
    const later = await due.pick({ ...ANY, limit: 1, now: NOW + 1000 });
    expect(later.candidates).toEqual([{ job: job.job }]);
  });

  it('writes a row only for the winner of a race', async () => {
    const job = await submitted();
    const rival = new JobHistory('', job.id);
    rival.job = job.job;
    await write(job.claim(NOW, { workerId: 'first' }));
    const [lost] = await rig.log.append([rival.claim(NOW, { workerId: 'second', requestId: 'r-lost' })]);
    expect(lost?.kind).toBe('conflict');
    const { rows } = await rig.pool.query('SELECT version, request_id FROM due_jobs');
    expect(rows).toEqual([{ version: 1, request_id: null }]);
    const [overdue] = await due.overdue(NOW + 60_000, 1);
    expect(overdue).toEqual({ job: job.job });
  });

  it('never withholds a running job: nothing but a sweep would move it when its worker is dead', async () => {
    const job = await submitted();
    await write(job.claim(NOW));
    await due.withhold([{ jobId: job.id, version: 1 }]);
    expect(await due.overdue(NOW + 60_000, 1)).toEqual([{ job: job.job }]);
  });

  it('refuses an append to a job that does not say what it folds to', async () => {
    const { folded: _, ...append } = new JobHistory().submit({}, NOW);
    await expect(rig.log.append([append])).rejects.toThrow();
    expect(await rig.log.readStream(append.stream)).toEqual([]);
  });

  it('takes finished jobs away and brings replayed ones back', async () => {
    const job = await submitted({ max_attempts: 1 });
    await write(job.claim(NOW));
    const error = { message: 'no', code: null, stack: null };
    await write(
      job.step(
        { kind: 'fail', fencingToken: 1, error, why: 'error', retryable: true, retryAfterSeconds: null },
        NOW,
      ) as StreamAppend,
    );
    expect((await rig.pool.query('SELECT FROM due_jobs')).rowCount).toBe(0);
    await write(job.step({ kind: 'acknowledge', reason: null }, NOW) as StreamAppend);
    await write(job.step({ kind: 'replay', reason: null, maxAttempts: null }, NOW) as StreamAppend);
    expect(await picked()).toEqual([job.id]);
  });

  it('orders by rank, a step of priority being worth a minute, and then first in, first out', async () => {
    const old = await submitted({ priority: -1 }, NOW - 120_000);
    const [first, second] = [await submitted(), await submitted()];
    const urgent = await submitted({ priority: 1 });
    const expected = [old.id, urgent.id, first.id, second.id];
    expect(await picked()).toEqual(expected);
    await unmark(expected);
    expect(await picked({ queues: ['default'], types: ['default'] })).toEqual(expected);
    await unmark(expected);
    expect(await picked({ queues: ['default'] })).toEqual(expected);
    await unmark(expected);
    expect(await picked({ types: ['default', 'default', 'other'], limit: 2 })).toEqual(expected.slice(0, 2));
  });

  it('offers a picked job to nobody else for two seconds', async () => {
    const job = await submitted();
    expect(await picked()).toEqual([job.id]);
    expect(await picked({ now: NOW + 1999 })).toEqual([]);
    expect(await picked({ now: NOW + 2000 })).toEqual([job.id]);
    await unmark([job.id]);
    expect(await picked({ now: NOW + 2000 })).toEqual([job.id]);
  });

  it('leaves a withheld job alone until its version moves', async () => {
    const job = await submitted();
    await due.withhold([{ jobId: job.id, version: 0 }]);
    expect(await picked()).toEqual([]);
    await due.withhold([{ jobId: job.id, version: 5 }]);
    await write(job.step({ kind: 'reschedule', scheduledAt: null, priority: 9 }, NOW) as StreamAppend);
    expect(await picked()).toEqual([job.id]);
  });

  it('promotes jobs whose time has come, and tells when the next one is due', async () => {
    const job = await submitted({ delay_seconds: 60 });
    const later = await submitted({ delay_seconds: 90, queue: 'other' });
    expect(await due.pick({ ...ANY, limit: 5, now: NOW })).toEqual({
      candidates: [],
      nextDueAt: NOW + 60_000,
      hasOverdue: false,
    });
    const then = await due.pick({ ...ANY, limit: 5, now: NOW + 60_000 });
    expect(then.candidates.map((candidate) => candidate.job.id)).toEqual([job.id]);
    expect(then.nextDueAt).toBe(NOW + 90_000);
    expect(await picked({ queues: ['other'], now: NOW + 90_000 })).toEqual([later.id]);
    expect((await due.pick({ ...ANY, limit: 5, now: NOW + 90_000 })).nextDueAt).toBeNull();
  });

  it('finds a due job at once behind thousands that are not served, not due, or came due together', async () => {
    const crowd = (request: object, count: number) =>
      Array.from({ length: count }, () => new JobHistory().submit(request, NOW - 1000));
    await write(...crowd({ type: 'unserved', priority: 100 }, 5000));
    await write(...crowd({ scheduled_at: NOW + 86_400_000, type: 'served' }, 5000));
    await write(...crowd({ scheduled_at: NOW, type: 'unserved' }, 5000));
    const job = await submitted({ type: 'served', priority: -100, scheduled_at: NOW });
    expect(await picked({ types: ['served'] })).toEqual([job.id]);
    expect(await picked({ queues: ['default'], types: ['served'], now: NOW + 2000 })).toEqual([job.id]);
  });

  it('gives two pickers at once different jobs', async () => {
    const jobs = Array.from({ length: 40 }, () => new JobHistory());
    await write(...jobs.map((job, index) => job.submit({ type: index % 2 ? 'odd' : 'even' }, NOW)));
    const slow = await rig.pool.connect();
    await slow.query('BEGIN');
    const { rows } = await slow.query(
      `SELECT job_id FROM due_jobs_pick(NULL, '{odd,even}', 10, $1, $2) WHERE job_id IS NOT NULL`,
      [NOW, NOW + 2000],
    );
    const held = rows.map((row) => row.job_id as string);
    const others = await picked({ types: ['odd', 'even'], limit: 10 });
    const all = await picked({ limit: 10 });
    await slow.query('COMMIT');
    slow.release();
    expect([held.length, others.length, all.length]).toEqual([10, 10, 10]);
    expect(new Set([...held, ...others, ...all]).size).toBe(30);
  });

  it('tells which leases are over, and which graces after a cancel', async () => {
    const lapsed = await submitted({ lease_seconds: 5 });
    const asked = await submitted({ lease_seconds: 5 });
    const held = await submitted({ lease_seconds: 60 });
    await write(...[lapsed, asked, held].map((job) => job.claim(NOW)));
    await write(asked.step({ kind: 'cancel', reason: null }, NOW) as StreamAppend);
    await write(asked.step({ kind: 'heartbeat', fencingToken: 1 }, NOW + 2000) as StreamAppend);
    expect(await due.overdue(NOW + 4999, 10)).toEqual([]);
    const over = await due.overdue(NOW + 5000, 10);
    expect(over.map(({ job }) => job.id).sort()).toEqual([lapsed.id, asked.id].sort());
    expect(await due.overdue(NOW + 5000, 10)).toEqual([]);
    expect(over).toContainEqual({ job: lapsed.job });
  });

  it('reads the stream where another version of the program wrote the row', async () => {
    const job = await submitted();
    await rig.pool.query(`UPDATE due_jobs SET state_format = 99, state = '{"other": true}'`);
    expect((await due.pick({ ...ANY, limit: 1, now: NOW })).candidates).toEqual([{ job: job.job }]);
  });

  it('leaves out a job whose stream cannot be read, but never takes an outage for that', async () => {
    const job = await submitted();
    await rig.pool.query('UPDATE due_jobs SET version = 1');
    const picking = (fold: () => Promise<ReadonlyMap<string, Job>>) => {
      const table = new DueJobsTable({ ...rig, submitted: POSTGRES_SUBMITTED, fold });
      return table.pick({ ...ANY, limit: 1, now: NOW });
    };
    await expect(picking(() => Promise.reject(new LogUnavailable('away')))).rejects.toThrow('away');
    await unmark([job.id]);
    expect((await picking(async () => new Map())).candidates).toEqual([]);
  });
});
