import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEvent } from '#domain/history';
import { JOB_EVENT_TYPES, type JobEventData, type JobEventType, jobEventData } from '#domain/job/events';
import { readStoredData } from '#domain/job/stored-data';
import { JOB_EVENT_SCHEMA_VERSIONS, readJobEvent } from '#domain/job/upcast';

const AT = '2026-11-30T12:00:00.000Z';
const origin = { kind: 'api', schedule: null, occurrence_at: null, job_id: null } as const;
const retry = { strategy: 'exponential', base_seconds: 1, factor: 2, cap_seconds: 3600, jitter: 0.5 } as const;
const error = { message: 'no', code: 'E', stack: null, retryable: true };

const samples: { readonly [T in JobEventType]: readonly JobEventData<T>[] } = {
  Submitted: [
    {
      ...{
        type: 't',
        queue: 'q',
        payload: { a: [1] },
        priority: -3,
        scheduled_at: AT,
        max_attempts: 5,
        max_crashes: 2,
      },
      ...{ retry, lease_seconds: 30, timeout_seconds: null, tags: ['a'], fingerprint: 'f', idempotency_key: null },
      ...{ key_use: null, origin },
    },
    {
      ...{ type: 't', queue: 'q', payload: {}, priority: 0, scheduled_at: AT, max_attempts: 1, max_crashes: 1 },
      ...{ retry: { strategy: 'list', delays_seconds: [1, 2], jitter: 0 }, lease_seconds: 5, timeout_seconds: 60 },
      ...{
        tags: [],
        fingerprint: 'f',
        idempotency_key: 'k',
        key_use: 0,
        reason: 'why',
        origin: { ...origin, kind: 'schedule' },
      },
    },
  ],
  Claimed: [
    { worker_id: 'w', attempt: 1, fencing_token: 1, lease_seconds: 30, lease_expires_at: AT, request_id: null },
    { worker_id: 'w', attempt: 2, fencing_token: 3, lease_seconds: 30, lease_expires_at: AT, request_id: 'r' },
  ],
  Heartbeat: [{ lease_expires_at: AT }, { lease_expires_at: AT, progress: null, checkpoint: { at: 1 } }],
  Succeeded: [{ result: null }, { result: { a: 1 } }],
  Failed: [
    { error, why: 'error', retry_at: AT },
    { error: { ...error, code: null, stack: 's' }, why: 'lease-expired', retry_at: null },
  ],
  Released: [{ scheduled_at: AT, reason: null }],
  DeadLettered: [{ reason: 'crashes' }],
  Replayed: [{ reason: null, max_attempts: 3, scheduled_at: AT }],
  CancelRequested: [{ reason: 'r' }],
  Cancelled: [{ reason: null }],
  Rescheduled: [{ scheduled_at: AT, priority: 1 }],
  Acknowledged: [{ reason: null }],
  KeyReleased: [{}],
};

/** Values that a field may be damaged to, near misses among them. */
const value = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    1,
    -1,
    1.5,
    2 ** 60,
    '',
    'x',
    AT,
    '2026-02-30T00:00:00.000Z',
    [],
    ['a'],
    [1],
    {},
    {
      strategy: 'exponential',
    },
  ),
  fc.constantFrom<unknown>('api', 'error', { ...retry, factor: 0 }, { ...retry, later: 1 }, { ...origin, later: 1 }),
  fc.jsonValue(),
);

/** Data with a field left out, added or replaced, at the top or one level down. */
const damaged = fc
  .constantFrom(...JOB_EVENT_TYPES)
  .chain((type) =>
    fc.record({
      type: fc.constant(type),
      data: fc.constantFrom<object>(...samples[type]),
      path: fc.tuple(fc.nat(), fc.nat(), fc.boolean()),
      change: fc.oneof(fc.constant('none'), fc.constant('remove'), fc.constant('add'), fc.constant('replace')),
      value,
    }),
  )
  .map(({ type, data, path: [first, second, isDeep], change, value: replacement }) => {
    const copy = structuredClone(data) as Record<string, unknown>;
    const inner = Object.values(copy)[first % Math.max(1, Object.keys(copy).length)];
    const target = isDeep && typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : copy;
    const keys = Object.keys(target);
    const key = keys[second % Math.max(1, keys.length)] ?? 'a';
    if (change === 'remove') delete target[key];
    if (change === 'replace') target[key] = replacement;
    if (change === 'add') target.unheard = replacement;
    return { type, data: JSON.parse(JSON.stringify(copy)) as unknown };
  });

const catalogue = { data: jobEventData, versions: JOB_EVENT_SCHEMA_VERSIONS };
const outcomeOf = (read: () => unknown) => {
  try {
    return { event: read() };
  } catch (thrown) {
    return { thrown: (thrown as Error).message };
  }
};

describe('the data of a stored event', () => {
  it('is read by hand exactly as by its schema, damaged or not', () => {
    fc.assert(
      fc.property(damaged, ({ type, data }) => {
        const stored = { type, schemaVersion: 1, data };
        expect(outcomeOf(() => readJobEvent(stored))).toStrictEqual(outcomeOf(() => readEvent(catalogue, stored)));
      }),
      { numRuns: 5_000 },
    );
  });

  it('is read by hand for what jobs mostly have', () => {
    for (const type of ['Submitted', 'Claimed', 'Heartbeat', 'Succeeded', 'Failed'] as const) {
      expect(readStoredData(type, samples[type][0])).toStrictEqual(samples[type][0]);
    }
  });

  it.each([null, 7, 'text', [], [{}]])('is not read when it is %j', (data) => {
    for (const type of JOB_EVENT_TYPES) {
      expect(() => readJobEvent({ type, schemaVersion: 1, data })).toThrow(/is damaged/);
    }
  });

  it('is not read when its type or its schema version is unknown', () => {
    expect(() => readJobEvent({ type: 'toString', schemaVersion: 1, data: {} })).toThrow(/not known/);
    expect(() => readJobEvent({ type: 'Succeeded', schemaVersion: 2, data: { result: 1 } })).toThrow(/not known/);
  });
});
