import { describe, expect, it } from 'vitest';
import { MAX_PAYLOAD_BYTES } from '#domain/job/limits';
import { decideSubmit, parseSubmit, SUBMITTED_BY_API, startOf } from '#domain/job/submit';
import { InvalidRequest } from '#domain/json/problems';
import { NOON } from './jobs.ts';

const FACTS = { fingerprint: 'f', idempotencyKey: null, keyUse: null, origin: SUBMITTED_BY_API, now: NOON };

function refusal(sent: unknown, base?: string): InvalidRequest {
  try {
    parseSubmit(sent, base);
  } catch (error) {
    if (error instanceof InvalidRequest) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(sent)} was accepted`);
}

const pointersOf = (sent: unknown, base?: string) => refusal(sent, base).problems.map(({ pointer }) => pointer);

describe('a submit with one wrong field', () => {
  it.each<[string, unknown]>([
    ['/type', { type: '' }],
    ['/type', { type: '-x' }],
    ['/type', { type: 'a b' }],
    ['/type', { type: 'x'.repeat(129) }],
    ['/type', { type: null }],
    ['/type', { type: 'x\n' }],
    ['/queue', { queue: 'Email' }],
    ['/queue', { queue: '' }],
    ['/queue', { queue: '_x' }],
    ['/queue', { queue: 'x'.repeat(65) }],
    ['/queue', { queue: 7 }],
    ['/queue', { queue: 'x\n' }],
    ['/payload', { payload: null }],
    ['/payload', { payload: [] }],
    ['/payload', { payload: 'text' }],
    ['/payload/a/b', { payload: { a: { b: 'x\u0000' } } }],
    ['/payload/a/b', { payload: { a: { b: Number.NaN } } }],
    ['/payload/list/2', { payload: { list: [0, 1, '\ud800'] } }],
    ['/payload/a~1b', { payload: { 'a/b': 'x\u0000' } }],
    ['/payload/__proto__', JSON.parse('{"payload": {"__proto__": 1}}')],
    ['/priority', { priority: null }],
    ['/priority', { priority: '5' }],
    ['/priority', { priority: '' }],
    ['/priority', { priority: [3] }],
    ['/priority', { priority: true }],
    ['/priority', { priority: 1.5 }],
    ['/priority', { priority: 1e3 }],
    ['/priority', { priority: -101 }],
    ['/scheduled_at', { scheduled_at: '2026-02-30T00:00:00Z' }],
    ['/scheduled_at', { scheduled_at: '12' }],
    ['/scheduled_at', { scheduled_at: '' }],
    ['/scheduled_at', { scheduled_at: NOON }],
    ['/scheduled_at', { scheduled_at: '+300000-01-01T00:00:00Z' }],
    ['/delay_seconds', { delay_seconds: -0.001 }],
    ['/delay_seconds', { delay_seconds: -1e15 }],
    ['/delay_seconds', { delay_seconds: 1e308 }],
    ['/delay_seconds', { delay_seconds: Number.NaN }],
    ['/delay_seconds', { delay_seconds: Number.POSITIVE_INFINITY }],
    ['/delay_seconds', { delay_seconds: '1e3' }],
    ['/delay_seconds', { delay_seconds: null }],
    ['/delay_seconds', { delay_seconds: 1, scheduled_at: '2026-11-30T12:00:00Z' }],
    ['/max_attempts', { max_attempts: 0 }],
    ['/max_attempts', { max_attempts: -1 }],
    ['/max_attempts', { max_attempts: 101 }],
    ['/max_crashes', { max_crashes: 0 }],
    ['/retry', { retry: null }],
    ['/retry', { retry: 'fixed' }],
    ['/retry/strategy', { retry: {} }],
    ['/retry/strategy', { retry: { strategy: 'random' } }],
    ['/retry/delay_seconds', { retry: { strategy: 'fixed' } }],
    ['/retry/delay_seconds', { retry: { strategy: 'fixed', delay_seconds: -1 } }],
    ['/retry/cap_seconds', { retry: { strategy: 'linear', cap_seconds: '9' } }],
    ['/retry/factor', { retry: { strategy: 'exponential', factor: 0 } }],
    ['/retry/jitter', { retry: { strategy: 'exponential', jitter: 2 } }],
    ['/retry/delays_seconds', { retry: { strategy: 'list', delays_seconds: [] } }],
    ['/retry/delays_seconds/1', { retry: { strategy: 'list', delays_seconds: [1, -1] } }],
    ['/retry/base_seconds', { retry: { strategy: 'fixed', delay_seconds: 1, base_seconds: 1 } }],
    ['/lease_seconds', { lease_seconds: 4 }],
    ['/lease_seconds', { lease_seconds: 3601 }],
    ['/lease_seconds', { lease_seconds: 30.5 }],
    ['/timeout_seconds', { timeout_seconds: 0 }],
    ['/timeout_seconds', { timeout_seconds: '60' }],
    ['/tags', { tags: 'vip' }],
    ['/tags', { tags: Array.from({ length: 17 }, (_, index) => `t${index}`) }],
    ['/tags/1', { tags: ['a', ''] }],
    ['/tags/0', { tags: ['x'.repeat(65)] }],
    ['/tags/0', { tags: ['\ud800'] }],
    ['/unknown', { unknown: 1 }],
    ['/a~1b', { 'a/b': 1 }],
    ['/__proto__', JSON.parse('{"__proto__": {"queue": "x"}}')],
    ['/constructor', { constructor: 1 }],
    ['', null],
    ['', []],
    ['', 'text'],
    ['', undefined],
  ])('names it as %j: %j', (pointer, sent) => {
    expect(pointersOf(sent)).toEqual([pointer]);
  });
});

describe('a submit with many wrong fields', () => {
  it('names all of them', () => {
    const sent = {
      queue: 'Email',
      priority: '5',
      lease_seconds: 1,
      tags: ['', 1],
      payload: { a: [Number.NaN, 1n] },
      extra: 1,
      more: 2,
    };
    expect(pointersOf(sent).sort()).toEqual(
      [
        '/extra',
        '/lease_seconds',
        '/more',
        '/payload/a/0',
        '/payload/a/1',
        '/priority',
        '/queue',
        '/tags/0',
        '/tags/1',
      ].sort(),
    );
  });

  it('names two times that exclude each other, too, beside others', () => {
    const both = { delay_seconds: 1, scheduled_at: '2026-11-30T12:00:00Z' };
    expect(pointersOf({ ...both, queue: 'Email' }).sort()).toEqual(['/delay_seconds', '/queue']);
    expect(pointersOf({ ...both, queue: 7 }).sort()).toEqual(['/delay_seconds', '/queue']);
    expect(pointersOf({ ...both, extra: 1 }).sort()).toEqual(['/delay_seconds', '/extra']);
  });

  it('names them below the place of the item in a bulk', () => {
    expect(pointersOf({ queue: 7, payload: { a: { b: 1n } } }, '/jobs/3')).toEqual([
      '/jobs/3/queue',
      '/jobs/3/payload/a/b',
    ]);
    expect(pointersOf(null, '/jobs/3')).toEqual(['/jobs/3']);
  });

  it('says in words what is wrong', () => {
    for (const { detail } of refusal({ queue: 'Email', priority: '5', delay_seconds: -1, extra: 1 }).problems) {
      expect(detail).toMatch(/^(must|is) /);
    }
  });
});

describe('the size of a payload', () => {
  const ofBytes = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });

  it('may be 256 KiB of JSON and not a byte more', () => {
    expect(parseSubmit({ payload: ofBytes(MAX_PAYLOAD_BYTES) }).payload).toBeDefined();
    const error = refusal({ payload: ofBytes(MAX_PAYLOAD_BYTES + 1) });
    expect([error.code, error.problems[0]?.pointer]).toEqual(['payload-too-large', '/payload']);
  });

  it('counts bytes and not characters', () => {
    expect(refusal({ payload: { a: '€'.repeat(MAX_PAYLOAD_BYTES / 3) } }).code).toBe('payload-too-large');
  });
});

describe('a job that was submitted', () => {
  it('has every default written down', () => {
    expect(decideSubmit(parseSubmit({}), FACTS)).toEqual({
      type: 'Submitted',
      data: {
        type: 'default',
        queue: 'default',
        payload: {},
        priority: 0,
        scheduled_at: '2026-11-30T12:00:00.000Z',
        max_attempts: 5,
        max_crashes: 5,
        retry: { strategy: 'exponential', base_seconds: 1, factor: 2, cap_seconds: 3600, jitter: 0.5 },
        lease_seconds: 30,
        timeout_seconds: null,
        tags: [],
        fingerprint: 'f',
        idempotency_key: null,
        key_use: null,
        origin: { kind: 'api', schedule: null, occurrence_at: null, job_id: null },
      },
    });
  });

  it('takes its type from its queue and its crash budget from its attempts', () => {
    expect(decideSubmit(parseSubmit({ queue: 'email', max_attempts: 2 }), FACTS).data).toMatchObject({
      type: 'email',
      queue: 'email',
      max_crashes: 2,
    });
  });

  it('keeps what was sent', () => {
    const sent = {
      type: 'image.resize',
      queue: 'images',
      payload: { constructor: { prototype: 1 }, toString: 'x', big: Number.MAX_SAFE_INTEGER },
      priority: -100,
      max_attempts: 100,
      max_crashes: 1,
      retry: { strategy: 'list', delays_seconds: [0, 0.5], jitter: 0 },
      lease_seconds: 3600,
      timeout_seconds: 31_536_000,
      tags: ['vip', '😀'],
    };
    expect(decideSubmit(parseSubmit(sent), FACTS).data).toMatchObject(sent);
  });

  it.each<[string, object, string]>([
    ['a delay', { delay_seconds: 0.5 }, '2026-11-30T12:00:00.500Z'],
    ['24.9 days', { delay_seconds: 24.9 * 86_400 }, '2026-12-25T09:36:00.000Z'],
    ['400 days', { delay_seconds: 400 * 86_400 }, '2028-01-04T12:00:00.000Z'],
    ['an instant with an offset', { scheduled_at: '2026-12-01T02:00:00+02:00' }, '2026-12-01T00:00:00.000Z'],
    ['the year 9999', { scheduled_at: '9999-12-31T23:59:59.999Z' }, '9999-12-31T23:59:59.999Z'],
    ['the past, which means now', { scheduled_at: '2001-01-01T00:00:00Z' }, '2026-11-30T12:00:00.000Z'],
    ['before 1970, which means now', { scheduled_at: '1950-01-01T00:00:00Z' }, '2026-11-30T12:00:00.000Z'],
    ['no time at all', {}, '2026-11-30T12:00:00.000Z'],
  ])('is due after %s', (_, sent, due) => {
    expect(decideSubmit(parseSubmit(sent), FACTS).data.scheduled_at).toBe(due);
  });

  it('is never due beyond the calendar', () => {
    expect(startOf({ delay_seconds: 31_536_000_000 }, Date.UTC(9998, 0))).toBe(Date.UTC(9999, 11, 31, 23, 59, 59, 999));
  });
});
