import { describe, expect, it } from 'vitest';
import type { JobCommand } from '#domain/job/commands';
import { dueAt } from '#domain/job/state';
import { apply, claimedBy, failing, moved, NOON, rejectionOf, releasing, submittedJob, typesOf } from './jobs.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const complete = (fencingToken: number): JobCommand => ({ kind: 'complete', fencingToken, result: { ok: true } });
const beat = (fencingToken: number): JobCommand => ({ kind: 'heartbeat', fencingToken });
const cancel: JobCommand = { kind: 'cancel', reason: 'not needed' };
const endLease: JobCommand = { kind: 'end-lease' };
const replay = (maxAttempts: number | null = null): JobCommand => ({ kind: 'replay', reason: null, maxAttempts });

const succeeded = () => moved(claimedBy(submittedJob(), 'a', NOON), complete(1), NOON);
const dead = () => moved(claimedBy(submittedJob({ max_attempts: 1 }), 'a', NOON), failing(1), NOON);
const cancelled = () => moved(submittedJob(), cancel, NOON);

describe('a cancel', () => {
  it('ends a pending job at once, and changes nothing when asked again', () => {
    const { job } = cancelled();
    expect(job).toMatchObject({ status: 'cancelled', cancel: { reason: 'not needed', requestedAt: NOON } });
    expect(rejectionOf(job, cancel)).toBe('nothing');
  });

  it('is too late for a job that has ended', () => {
    expect(rejectionOf(succeeded().job, cancel)).toEqual({ code: 'already-final', status: 'succeeded' });
    expect(rejectionOf(dead().job, cancel)).toEqual({ code: 'already-final', status: 'dead' });
  });

  describe('of a running job', () => {
    const asked = () => moved(claimedBy(submittedJob(), 'a', NOON), cancel, NOON + SECOND, 'key:ops');

    it('is asked for once', () => {
      const history = asked();
      expect(history.job).toMatchObject({
        status: 'running',
        cancel: { actor: 'key:ops', requestedAt: NOON + SECOND },
      });
      expect(rejectionOf(history.job, cancel)).toBe('nothing');
    });

    it('does not undo work that was done', () => {
      expect(moved(asked(), complete(1), NOON + 2 * SECOND).job).toMatchObject({
        status: 'succeeded',
        result: { ok: true },
      });
    });

    it('ends by the failure of the attempt, its error kept', () => {
      const history = moved(asked(), failing(1), NOON + 2 * SECOND);
      expect(typesOf(history.events.slice(3))).toEqual(['Failed', 'Cancelled']);
      expect(history.job).toMatchObject({ status: 'cancelled', lastError: { message: 'boom' } });
      expect(history.job).toMatchObject({ cancel: { actor: 'key:ops', reason: 'not needed' } });
    });

    it('ends by a release', () => {
      const history = moved(asked(), releasing(1), NOON + 2 * SECOND);
      expect(typesOf(history.events.slice(3))).toEqual(['Cancelled']);
    });

    it('ends by the end of the lease, its error kept', () => {
      const history = moved(asked(), endLease, NOON + 30 * SECOND);
      expect(typesOf(history.events.slice(3))).toEqual(['Failed', 'Cancelled']);
      expect(history.job).toMatchObject({ status: 'cancelled', lastError: { why: 'lease-expired' } });
    });

    it('ends when the grace of one lease is over, though beats keep the lease alive, and the holder has lost it', () => {
      const beaten = moved(asked(), beat(1), NOON + 29 * SECOND);
      expect(dueAt(beaten.job)).toBe(NOON + 31 * SECOND);
      expect(rejectionOf(beaten.job, endLease, NOON + 31 * SECOND - 1)).toMatchObject({ code: 'lease-not-over' });
      const ended = moved(beaten, endLease, NOON + 31 * SECOND);
      expect(typesOf(ended.events.slice(4))).toEqual(['Cancelled']);
      for (const late of [beat(1), complete(1), failing(1), releasing(1)]) {
        expect(rejectionOf(ended.job, late)).toMatchObject({ code: 'lease-lost', status: 'cancelled' });
      }
    });
  });
});

describe('a replay', () => {
  it('gives exactly the attempts it names, keeps the history, and dies with the new reason', () => {
    let history = moved(dead(), replay(2), NOON + MINUTE, 'key:ops');
    expect(history.job).toMatchObject({ status: 'pending', attempt: 0, maxAttempts: 2, replays: 1, fencingToken: 1 });
    expect(history.job.lastError?.message).toBe('boom');
    for (const token of [2, 3]) {
      expect(history.job.status).toBe('pending');
      history = claimedBy(history, 'b', Math.max(history.job.scheduledAt, history.job.updatedAt));
      history = moved(history, failing(token, { retryable: token === 2 }), history.job.updatedAt);
    }
    expect(history.job).toMatchObject({ status: 'dead', deadReason: 'not-retryable', attempt: 2, replays: 1 });
  });

  it('gives the same number of attempts as before when it names none', () => {
    expect(moved(dead(), replay(), NOON).job.maxAttempts).toBe(1);
  });

  it('is for dead jobs only', () => {
    const others = [submittedJob(), claimedBy(submittedJob(), 'a', NOON), succeeded(), cancelled()];
    for (const { job } of others) expect(rejectionOf(job, replay())).toEqual({ code: 'not-dead', status: job.status });
  });

  it('is refused once the key was released', () => {
    const released = moved(dead(), { kind: 'release-key' }, NOON);
    expect(released.job.status).toBe('dead');
    expect(rejectionOf(released.job, replay())).toEqual({ code: 'unique-held' });
  });

  it('makes a job that was acknowledged unseen again at its next death', () => {
    let history = moved(dead(), { kind: 'acknowledge', reason: 'known' }, NOON);
    expect(history.job).toMatchObject({ status: 'dead', acknowledged: true });
    expect(rejectionOf(history.job, { kind: 'acknowledge', reason: null })).toBe('nothing');
    history = claimedBy(moved(history, replay(), NOON), 'a', NOON);
    expect(moved(history, failing(2), NOON).job).toMatchObject({ status: 'dead', acknowledged: false });
  });
});

describe('other commands', () => {
  it('release a key of a finished job only, and once', () => {
    const live = [submittedJob(), claimedBy(submittedJob(), 'a', NOON)];
    for (const { job } of live) expect(rejectionOf(job, { kind: 'release-key' })).toEqual({ code: 'unique-held' });
    for (const history of [succeeded(), dead(), cancelled()]) {
      const released = moved(history, { kind: 'release-key' }, NOON);
      expect(released.job).toMatchObject({ status: history.job.status, keyReleased: true });
      expect(rejectionOf(released.job, { kind: 'release-key' })).toBe('nothing');
    }
  });

  it('acknowledge dead jobs only', () => {
    for (const { job } of [submittedJob(), succeeded(), cancelled()]) {
      expect(rejectionOf(job, { kind: 'acknowledge', reason: null })).toEqual({ code: 'not-dead', status: job.status });
    }
  });

  it('reschedule pending jobs only, and keep what is not named', () => {
    const history = submittedJob({ priority: 3, delay_seconds: 60 });
    const sooner: JobCommand = { kind: 'reschedule', scheduledAt: NOON, priority: null };
    expect(moved(history, sooner, NOON).job).toMatchObject({ scheduledAt: NOON, priority: 3 });
    const higher: JobCommand = { kind: 'reschedule', scheduledAt: null, priority: 9 };
    expect(moved(history, higher, NOON).job).toMatchObject({ scheduledAt: NOON + MINUTE, priority: 9 });
    for (const { job } of [claimedBy(submittedJob(), 'a', NOON), succeeded(), dead(), cancelled()]) {
      expect(rejectionOf(job, sooner)).toEqual({ code: 'not-pending', status: job.status });
    }
  });

  it('change nothing in the history they were decided on', () => {
    const history = dead();
    const before = JSON.stringify(history.job);
    apply(history, replay(), { now: NOON });
    expect(JSON.stringify(history.job)).toBe(before);
  });
});
