import { describe, expect, it } from 'vitest';
import type { JobCommand } from '#domain/job/commands';
import { MAX_ERROR_TEXT_BYTES } from '#domain/job/limits';
import {
  claimedBy,
  failing,
  type History,
  moved,
  NOON,
  rejectionOf,
  releasing,
  running,
  submittedJob,
  typesOf,
} from './jobs.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const complete = (fencingToken: number): JobCommand => ({ kind: 'complete', fencingToken, result: { ok: true } });
const beat = (fencingToken: number): JobCommand => ({ kind: 'heartbeat', fencingToken });
const cancel: JobCommand = { kind: 'cancel', reason: 'not needed' };
const endLease: JobCommand = { kind: 'end-lease' };

const succeeded = () => moved(claimedBy(submittedJob(), 'a', NOON), complete(1), NOON);
const dead = () => moved(claimedBy(submittedJob({ max_attempts: 1 }), 'a', NOON), failing(1), NOON);
const cancelled = () => moved(submittedJob(), cancel, NOON);

describe('a claim', () => {
  it('is refused before the time has come, and taken at it', () => {
    const { job } = submittedJob({ delay_seconds: 10 });
    const claim: JobCommand = { kind: 'claim', workerId: 'a', leaseSeconds: null, requestId: null };
    const due = NOON + 10 * SECOND;
    expect(rejectionOf(job, claim, due - 1)).toEqual({ code: 'not-due', scheduledAt: due });
    expect(rejectionOf(job, claim, due)).toBe('events');
  });

  it.each<[string, () => History]>([
    ['a running', () => claimedBy(submittedJob(), 'a', NOON)],
    ['a succeeded', succeeded],
    ['a dead', dead],
    ['a cancelled', cancelled],
  ])('is refused on %s job, however late', (_, of) => {
    const { job } = of();
    const claim: JobCommand = { kind: 'claim', workerId: 'b', leaseSeconds: null, requestId: null };
    expect(rejectionOf(job, claim, NOON + 86_400 * SECOND)).toEqual({ code: 'not-pending', status: job.status });
  });

  it('may bring a lease of its own, which every beat then extends', () => {
    const claim: JobCommand = { kind: 'claim', workerId: 'a', leaseSeconds: 90, requestId: 'r-17' };
    const claimed = moved(submittedJob(), claim, NOON);
    expect(running(claimed).lease).toEqual({
      workerId: 'a',
      expiresAt: NOON + 90 * SECOND,
      seconds: 90,
      requestId: 'r-17',
    });
    const beaten = moved(claimed, beat(1), NOON + 10 * SECOND);
    expect(running(beaten).lease.expiresAt).toBe(NOON + 100 * SECOND);
    expect(beaten.job.leaseSeconds).toBe(30);
  });
});

describe('a report of the holder', () => {
  it.each<[string, JobCommand, string[]]>([
    ['heartbeat', beat(1), ['Heartbeat']],
    ['success', complete(1), ['Succeeded']],
    ['failure', failing(1), ['Failed']],
    ['release', releasing(1), ['Released']],
  ])('counts long after the lease, while no event has ended it: %s', (_, command, types) => {
    const late = moved(claimedBy(submittedJob(), 'a', NOON), command, NOON + 60 * MINUTE);
    expect(typesOf(late.events.slice(2))).toEqual(types);
  });

  it.each<[string, JobCommand]>([
    ['heartbeat', beat(1)],
    ['success', complete(1)],
    ['failure', failing(1)],
    ['release', releasing(1)],
  ])('is refused as lease-lost once another holds the job: %s', (_, command) => {
    const lost = moved(claimedBy(submittedJob(), 'a', NOON), endLease, NOON + MINUTE);
    const taken = claimedBy(lost, 'b', NOON + 2 * MINUTE);
    expect(rejectionOf(taken.job, command, NOON + 2 * MINUTE)).toEqual({
      code: 'lease-lost',
      status: 'running',
      fencingToken: 2,
    });
  });

  it('is refused with a token that was never given', () => {
    const { job } = claimedBy(submittedJob(), 'a', NOON);
    for (const token of [0, 2, -1, Number.NaN]) {
      expect(rejectionOf(job, complete(token))).toMatchObject({ code: 'lease-lost' });
    }
  });
});

describe('a heartbeat', () => {
  it('extends the lease from now', () => {
    const beaten = moved(claimedBy(submittedJob(), 'a', NOON), beat(1), NOON + 10 * SECOND);
    expect(running(beaten).lease.expiresAt).toBe(NOON + 40 * SECOND);
  });

  it('keeps the last progress and checkpoint until new ones come, and takes null for what it is', () => {
    let history = claimedBy(submittedJob(), 'a', NOON);
    history = moved(history, { kind: 'heartbeat', fencingToken: 1, progress: { done: 1 }, checkpoint: 7 }, NOON);
    history = moved(history, beat(1), NOON);
    expect([history.job.progress, history.job.checkpoint]).toEqual([{ done: 1 }, 7]);
    history = moved(history, { kind: 'heartbeat', fencingToken: 1, progress: null }, NOON);
    expect([history.job.progress, history.job.checkpoint]).toEqual([null, 7]);
  });

  it('does not hold a job with a timeout longer than one lease beyond it', () => {
    let history = claimedBy(submittedJob({ timeout_seconds: 60, lease_seconds: 30 }), 'a', NOON);
    for (let second = 10; second <= 200; second += 10) history = moved(history, beat(1), NOON + second * SECOND);
    expect(running(history).lease.expiresAt).toBe(NOON + 90 * SECOND);
    expect(rejectionOf(history.job, endLease, NOON + 200 * SECOND)).toBe('events');
  });
});

describe('a failure', () => {
  it('is retried after the backoff, or when the handler says', () => {
    const claimed = claimedBy(submittedJob({ retry: { strategy: 'fixed', delay_seconds: 8 } }), 'a', NOON);
    expect(moved(claimed, failing(1), NOON).job).toMatchObject({ status: 'pending', scheduledAt: NOON + 8 * SECOND });
    const said = moved(claimed, failing(1, { retryAfterSeconds: 0.5 }), NOON);
    expect(said.job.scheduledAt).toBe(NOON + 500);
  });

  it.each([-5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'is retried after the backoff when the handler asks for a wait of %d',
    (retryAfterSeconds) => {
      const claimed = claimedBy(submittedJob({ retry: { strategy: 'fixed', delay_seconds: 8 } }), 'a', NOON);
      expect(moved(claimed, failing(1, { retryAfterSeconds }), NOON).job.scheduledAt).toBe(NOON + 8 * SECOND);
    },
  );

  it('that is pointless to retry ends the job at once', () => {
    const history = moved(claimedBy(submittedJob(), 'a', NOON), failing(1, { retryable: false }), NOON);
    expect(history.job).toMatchObject({ status: 'dead', deadReason: 'not-retryable', attempt: 1 });
    expect(typesOf(history.events)).toEqual(['Submitted', 'Claimed', 'Failed', 'DeadLettered']);
  });

  it('of the last attempt ends the job', () => {
    let history = submittedJob({ max_attempts: 2 });
    for (const token of [1, 2]) {
      history = moved(claimedBy(history, 'a', history.job.scheduledAt), failing(token), history.job.scheduledAt);
    }
    expect(history.job).toMatchObject({ status: 'dead', deadReason: 'attempts', attempt: 2 });
  });

  it('keeps its text within bounds and storable', () => {
    const error = { message: `\u0000${'é'.repeat(20_000)}`, code: 'E', stack: 'x'.repeat(20_000) };
    const { job } = moved(claimedBy(submittedJob(), 'a', NOON), failing(1, { error }), NOON);
    expect(Buffer.byteLength(job.lastError?.message ?? '')).toBeLessThanOrEqual(MAX_ERROR_TEXT_BYTES);
    expect(job.lastError?.message).toMatch(/^\ufffdé.*\[cut, 40003 bytes in all\]$/);
    expect(job.lastError?.stack).toMatch(/\[cut, 20000 bytes in all\]$/);
  });
});

describe('the end of a lease', () => {
  it('comes by an event, and not before its time', () => {
    const { job } = claimedBy(submittedJob(), 'a', NOON);
    expect(rejectionOf(job, endLease, NOON + 30 * SECOND - 1)).toEqual({
      code: 'lease-not-over',
      dueAt: NOON + 30 * SECOND,
    });
    expect(rejectionOf(job, endLease, NOON + 30 * SECOND)).toBe('events');
  });

  it('uses up an attempt, says why, and is retried after the backoff', () => {
    const history = moved(claimedBy(submittedJob(), 'a', NOON), endLease, NOON + MINUTE);
    expect(history.job).toMatchObject({
      status: 'pending',
      attempt: 1,
      crashes: 1,
      scheduledAt: NOON + MINUTE + SECOND,
    });
    expect(history.job.lastError).toMatchObject({ why: 'lease-expired', code: 'lease-expired', attempt: 1 });
  });

  it('kills the job at the third crash in a row of three allowed, with attempts left', () => {
    let history = submittedJob({ max_attempts: 9, max_crashes: 3 });
    for (let crash = 1; crash <= 3; crash += 1) {
      expect(history.job.status).toBe('pending');
      history = claimedBy(history, 'a', history.job.scheduledAt);
      history = moved(history, endLease, running(history).lease.expiresAt);
    }
    expect(history.job).toMatchObject({ status: 'dead', deadReason: 'crashes', crashes: 3, attempt: 3 });
  });

  it('counts crashes in a row only', () => {
    let history = submittedJob({ max_attempts: 9, max_crashes: 2 });
    for (let round = 0; round < 3; round += 1) {
      history = claimedBy(history, 'a', history.job.scheduledAt);
      history = moved(history, endLease, running(history).lease.expiresAt);
      history = claimedBy(history, 'a', history.job.scheduledAt);
      history = moved(history, failing(history.job.fencingToken), history.job.updatedAt);
    }
    expect(history.job).toMatchObject({ status: 'pending', crashes: 0, attempt: 6 });
  });

  it('is nothing on a job that does not run', () => {
    for (const { job } of [submittedJob(), succeeded(), dead(), cancelled()])
      expect(rejectionOf(job, endLease)).toBe('nothing');
  });
});

describe('a release', () => {
  it('uses up no attempt and waits as long as was asked', () => {
    const history = moved(claimedBy(submittedJob(), 'a', NOON), releasing(1, 90), NOON);
    expect(history.job).toMatchObject({ status: 'pending', attempt: 0, releases: 1, fencingToken: 1 });
    expect(history.job.scheduledAt).toBe(NOON + 90 * SECOND);
  });

  it('waits for the backoff from the tenth in a row on, and a used attempt begins a new row', () => {
    let history = submittedJob({ retry: { strategy: 'list', delays_seconds: [100, 200, 300], jitter: 0 } });
    const waits: number[] = [];
    for (let turn = 1; turn <= 12; turn += 1) {
      history = claimedBy(history, 'a', history.job.scheduledAt);
      const now = history.job.updatedAt;
      history = moved(history, releasing(turn), now);
      waits.push((history.job.scheduledAt - now) / SECOND);
    }
    expect(waits).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 200, 300]);
    history = claimedBy(history, 'a', history.job.scheduledAt);
    history = moved(history, failing(13), history.job.updatedAt);
    history = claimedBy(history, 'a', history.job.scheduledAt);
    const released = moved(history, releasing(14), history.job.updatedAt);
    expect(released.job.scheduledAt).toBe(history.job.updatedAt);
    expect(released.job).toMatchObject({ attempt: 1, releases: 13 });
  });

  it('keeps a longer wait that was asked for, and takes no wait for one that is none', () => {
    const claimed = claimedBy(submittedJob(), 'a', NOON);
    for (const odd of [-5, Number.NaN]) expect(moved(claimed, releasing(1, odd), NOON).job.scheduledAt).toBe(NOON);
  });
});
