import { EventEmitter } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineJob } from '#workers/define-job';
import { JobError } from '#workers/job-error';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { openRig, type Rig } from './rig.ts';

let database: TestDatabase;
let rig: Rig;

const odd = new Map<string, () => unknown>();
const jobs = [
  defineJob({
    type: 'odd',
    input: z.object({ ending: z.string() }),
    maxAttempts: 1,
    run: (_ctx, { ending }) => odd.get(ending)?.(),
  }),
  defineJob({ type: 'good', run: async () => ({ fine: true }) }),
  defineJob({ type: 'later', run: (ctx) => (ctx.job.releases === 0 ? ctx.snooze(0.3) : 'awake') }),
  defineJob({
    type: 'picky',
    run: () => {
      throw new JobError('come back', { code: 'BUSY', retryAfterSeconds: 1000 });
    },
  }),
  defineJob({
    type: 'hopeless',
    run: () => {
      throw new JobError('never', { retryable: false });
    },
  }),
];

beforeAll(async () => {
  database = await createTestDatabase();
  rig = await openRig(database.connectionString);
  rig.work(jobs);
});

afterAll(async () => {
  await rig.close();
  await database.drop();
});

const circular = () => {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
};
const thrower = (thrown: unknown) => () => {
  throw thrown;
};
const unreadable = () => {
  const error = new Error('x');
  Object.defineProperty(error, 'message', {
    get() {
      throw new Error('no message for you');
    },
  });
  return error;
};
const cyclicCause = () => {
  const error = new Error('turning in a circle');
  error.cause = new Error('half way', { cause: error });
  return error;
};
const proxied = () =>
  new Proxy(new Error('x'), {
    get() {
      throw new Error('trap');
    },
    getPrototypeOf() {
      throw new Error('trap');
    },
  });

describe('a handler that ends in an odd way fails alone, with readable text', () => {
  const failing: [string, () => unknown, RegExp][] = [
    ['returns a circular object', circular, /refers to itself/],
    ['returns a BigInt', () => ({ n: 1n }), /BigInt/],
    ['returns a symbol', () => Symbol('s'), /symbol/],
    ['returns a function', () => () => 1, /function/],
    ['returns 50 MB of text', () => 'x'.repeat(50 * 1024 * 1024), /bytes of JSON, more than 262144/],
    ['returns a number that is none', () => ({ n: Number.NaN }), /number NaN/],
    [
      'returns a whole number that readers change',
      () => ({ n: 2 ** 53 + 2 }),
      /9007199254740994, a whole number beyond/,
    ],
    ['returns text with NUL', () => 'a\u0000b', /NUL/],
    [
      'returns an object with a throwing getter',
      () => ({
        get bad() {
          throw new Error('getter went off');
        },
      }),
      /getter went off/,
    ],
    [
      'returns an object with a throwing toJSON',
      () => ({ toJSON: thrower(new Error('toJSON went off')) }),
      /toJSON went off/,
    ],
    ['throws undefined', thrower(undefined), /^undefined was thrown$/],
    ['throws null', thrower(null), /^null was thrown$/],
    ['throws a string', thrower('plain words'), /^plain words$/],
    [
      'throws an Error whose message cannot be read',
      () => thrower(unreadable())(),
      /message of this error cannot be read/,
    ],
    ['throws an AggregateError', thrower(new AggregateError([new Error('one'), 'two'], 'both')), /both \(one; two\)/],
    ['throws an Error with a circular cause', () => thrower(cyclicCause())(), /turning in a circle/],
    ['throws a hostile proxy', () => thrower(proxied())(), /.+/],
    ['throws an object', thrower({ reason: 'because' }), /because/],
    ['throws 10 MB of text', thrower(new Error('y'.repeat(10_000_000))), /cut, 10000000 bytes in all/],
    [
      'emits an error nobody listens to, later',
      () =>
        new Promise(() => {
          setTimeout(() => new EventEmitter().emit('error', new Error('emitted late')), 5);
        }),
      /emitted late/,
    ],
  ];

  test.each(failing)('%s', async (ending, run, message) => {
    odd.set(ending, run);
    const good = await Promise.all(Array.from({ length: 9 }, () => rig.submit('good')));
    const id = await rig.submit('odd', { payload: { ending }, max_attempts: 1 });

    const job = await rig.reaches(id, 'dead');
    expect(job.lastError?.message).toMatch(message);
    expect(job.lastError?.why).toBe('error');
    for (const sibling of good) await rig.reaches(sibling, 'succeeded');
  });

  test('returns nothing: the result is null', async () => {
    odd.set('nothing', () => undefined);
    const id = await rig.submit('odd', { payload: { ending: 'nothing' } });
    expect(await rig.reaches(id, 'succeeded')).toMatchObject({ result: null });
  });

  test('a promise that rejects after the end is logged against the job and changes nothing', async () => {
    const end = Promise.withResolvers<void>();
    odd.set('late', () => {
      void end.promise.then(() => Promise.reject(new Error('too late to matter')));
      return 'done';
    });
    const id = await rig.submit('odd', { payload: { ending: 'late' } });
    await rig.reaches(id, 'succeeded');
    const before = (await rig.job(id)).version;
    end.resolve();
    const line = await until('the rejection is logged', () =>
      rig.lines.find((found) => found.jobId === id && found.msg.includes('rejected unhandled')),
    );
    expect(JSON.stringify(line)).toContain('too late to matter');
    expect((await rig.job(id)).version).toBe(before);
    await rig.reaches(await rig.submit('good'), 'succeeded');
  });
});

test('a result that can never be stored is not tried again', async () => {
  odd.set('circular again', circular);
  const id = await rig.submit('odd', { payload: { ending: 'circular again' }, max_attempts: 5 });
  expect(await rig.reaches(id, 'dead')).toMatchObject({ attempt: 1, deadReason: 'not-retryable' });
});

test('an input that the schema refuses fails the job for good, naming the field', async () => {
  const id = await rig.submit('odd', { payload: { ending: 5 }, max_attempts: 5 });
  const job = await rig.reaches(id, 'dead');
  expect(job).toMatchObject({ attempt: 1, deadReason: 'not-retryable', lastError: { code: 'invalid-input' } });
  expect(job.lastError?.message).toContain('/ending');
});

test('a JobError says when to try again, or that it is no use', async () => {
  const later = await rig.submit('picky');
  const waiting = await until('the first attempt failed', async () => {
    const job = await rig.job(later);
    return job.lastError && job;
  });
  expect(waiting.lastError).toMatchObject({ message: 'come back', code: 'BUSY', retryable: true });
  expect(waiting.scheduledAt - waiting.updatedAt).toBe(1_000_000);

  const hopeless = await rig.submit('hopeless');
  expect(await rig.reaches(hopeless, 'dead')).toMatchObject({ attempt: 1, deadReason: 'not-retryable' });
});

test('a snoozed job comes back without having used up an attempt', async () => {
  const id = await rig.submit('later');
  expect(await rig.reaches(id, 'succeeded')).toMatchObject({
    attempt: 1,
    releases: 1,
    fencingToken: 2,
    result: 'awake',
  });
});
