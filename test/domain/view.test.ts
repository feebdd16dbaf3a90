import { describe, expect, it } from 'vitest';
import { jobView } from '#domain/job/view';
import { claimedBy, failing, type History, moved, NOON, submittedJob } from './jobs.ts';

const FIELDS = [
  ...['id', 'type', 'queue', 'status', 'version', 'priority', 'tags', 'payload', 'result', 'progress', 'checkpoint'],
  ...['created_at', 'updated_at', 'scheduled_at', 'started_at', 'finished_at', 'expires_at', 'lease_seconds'],
  ...['timeout_seconds', 'attempt', 'max_attempts', 'crashes', 'max_crashes', 'releases', 'replays', 'fencing_token'],
  ...['lease', 'cancel', 'retry', 'last_error', 'dead_reason', 'acknowledged', 'idempotency_key', 'concurrency_key'],
  ...['unique', 'origin'],
].sort();

const fresh = () => submittedJob({ payload: { path: 'a.png' }, tags: ['vip'] });
const claimed = () => claimedBy(fresh(), 'w1', NOON + 1000);
const failed = () => moved(claimed(), failing(1), NOON + 2000, 'worker:w1');
const cancelling = () => moved(claimed(), { kind: 'cancel', reason: null }, NOON + 2000, 'key:ops');

const histories: [string, () => History][] = [
  ['pending', fresh],
  ['running', claimed],
  ['retried', failed],
  ['cancelling', cancelling],
  ['cancelled', () => moved(cancelling(), failing(1), NOON + 3000)],
  ['succeeded', () => moved(claimed(), { kind: 'complete', fencingToken: 1, result: { ok: true } }, NOON + 2000)],
  ['dead', () => moved(claimed(), failing(1, { retryable: false }), NOON + 2000)],
];

describe('a job as clients see it', () => {
  it.each(histories)('has every field and no other when it is %s, none of them undefined', (_, of) => {
    const view = jobView(of().job);
    expect(Object.keys(view).sort()).toEqual(FIELDS);
    expect(Object.values(view)).not.toContain(undefined);
    expect(JSON.parse(JSON.stringify(view))).toEqual(view);
  });

  it('shows a running job with its lease', () => {
    expect(jobView(claimed().job)).toMatchObject({
      status: 'running',
      version: 1,
      created_at: '2026-11-30T12:00:00.000Z',
      started_at: '2026-11-30T12:00:01.000Z',
      updated_at: '2026-11-30T12:00:01.000Z',
      lease: { worker_id: 'w1', expires_at: '2026-11-30T12:00:31.000Z' },
      cancel: null,
      finished_at: null,
    });
  });

  it('shows a failed attempt with its error, and the time of the next', () => {
    expect(jobView(failed().job)).toMatchObject({
      status: 'pending',
      lease: null,
      scheduled_at: '2026-11-30T12:00:03.000Z',
      started_at: '2026-11-30T12:00:01.000Z',
    });
    expect(jobView(failed().job).last_error).toEqual({
      message: 'boom',
      code: null,
      stack: null,
      retryable: true,
      why: 'error',
      attempt: 1,
      at: '2026-11-30T12:00:02.000Z',
    });
  });

  it('shows who asked for a cancel from the request on', () => {
    const asked = { requested_at: '2026-11-30T12:00:02.000Z', actor: 'key:ops', reason: null };
    expect(jobView(cancelling().job)).toMatchObject({ status: 'running', cancel: asked });
    const ended = moved(cancelling(), failing(1), NOON + 3000, 'worker:w1');
    expect(jobView(ended.job)).toMatchObject({
      status: 'cancelled',
      cancel: asked,
      finished_at: '2026-11-30T12:00:03.000Z',
    });
    const done = moved(cancelling(), { kind: 'complete', fencingToken: 1, result: 1 }, NOON + 3000);
    expect(jobView(done.job)).toMatchObject({ status: 'succeeded', result: 1, cancel: asked });
  });

  it('shows why a job is dead, and whether somebody has seen it', () => {
    const dead = moved(claimed(), failing(1, { retryable: false }), NOON + 2000);
    expect(jobView(dead.job)).toMatchObject({ status: 'dead', dead_reason: 'not-retryable', acknowledged: false });
    expect(jobView(moved(dead, { kind: 'acknowledge', reason: null }, NOON).job).acknowledged).toBe(true);
    const again = moved(dead, { kind: 'replay', reason: null, maxAttempts: null }, NOON + 3000);
    expect(jobView(again.job)).toMatchObject({ status: 'pending', dead_reason: null, finished_at: null, replays: 1 });
  });
});
