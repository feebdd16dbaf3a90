import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { derivedUuid, keyedJobId, outcomeEventId } from '#domain/job/identity';
import { streamNames } from '#domain/streams';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const UUID_8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('the id of a keyed job', () => {
  it('is a UUID of version 8 and of the variant of RFC 9562', () => {
    fc.assert(fc.property(fc.string(), fc.nat(), (key, use) => UUID_8.test(keyedJobId(sha256, key, use))));
  });

  // The ids are in logs that people keep: if this one changes, every key that is in use is forgotten.
  it('never changes', () => {
    expect(keyedJobId(sha256, 'order-17', 0)).toBe('b2c5facf-2c44-83e0-a0b4-7f370fbb097e');
  });

  it('is another one for another key, use or namespace', () => {
    const ids = [
      keyedJobId(sha256, 'a', 0),
      keyedJobId(sha256, 'a', 1),
      keyedJobId(sha256, 'a', 10),
      keyedJobId(sha256, 'a1', 0),
      keyedJobId(sha256, 'b', 0),
      keyedJobId(sha256, 'a', 0, 'tenant'),
      keyedJobId(sha256, 'tenant', 0, 'a'),
      keyedJobId(sha256, '",0]', 0),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the id of an outcome event', () => {
  const outcome = { jobId: 'j', fencingToken: 1, kind: 'complete', bodyDigest: 'd', index: 0 };

  // A worker that repeats a report after an upgrade must be known again.
  it('never changes', () => {
    expect(outcomeEventId(sha256, outcome)).toBe('958d836c-5811-8164-b89b-d30cb8f854dc');
  });

  it('is the same for the same report', () => {
    expect(outcomeEventId(sha256, { ...outcome })).toBe(outcomeEventId(sha256, outcome));
  });

  it('is another one as soon as job, token, kind, body or place differ', () => {
    const others = [{ jobId: 'k' }, { fencingToken: 2 }, { kind: 'fail' }, { bodyDigest: 'e' }, { index: 1 }];
    const ids = [outcome, ...others.map((change) => ({ ...outcome, ...change }))].map((each) =>
      outcomeEventId(sha256, each),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('does not run parts together', () => {
    expect(derivedUuid(sha256, ['a', 'bc'])).not.toBe(derivedUuid(sha256, ['ab', 'c']));
    expect(derivedUuid(sha256, ['1'])).not.toBe(derivedUuid(sha256, [1]));
  });
});

describe('the names of streams', () => {
  it('are found again in both directions, under a prefix, too', () => {
    for (const prefix of ['', 'prod-']) {
      const names = streamNames(prefix);
      const id = '01937d2e-8c4a-7b1e-9f00-5a1c2d3e4f50';
      expect(names.job(id)).toBe(`${prefix}job-${id}`);
      expect(names.jobIdOf(names.job(id))).toBe(id);
      expect(names.workerIdOf(names.worker('w'))).toBe('w');
      expect(names.jobIdOf(names.worker('w'))).toBeNull();
      expect(names.workerIdOf(names.job(id))).toBeNull();
    }
  });

  it('are those of jobs only with an id that a job can have', () => {
    expect(streamNames().jobIdOf('job-')).toBeNull();
    expect(streamNames().jobIdOf('job-board')).toBeNull();
  });
});
