import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { IllegalHistory, UnreadableEvent } from '#domain/history';
import { JOB_EVENT_TYPES, jobEventData } from '#domain/job/events';
import { fold } from '#domain/job/evolve';
import { JOB_EVENT_SCHEMA_VERSIONS, readJobEvent, recordedJobEvent } from '#domain/job/upcast';
import { jobView } from '#domain/job/view';

/*
 * One file per event type and schema version: events as they lie in logs, and the job they fold to. A file is never
 * edited, since what it holds is in somebody's log; a new schema version gets a new file beside the old ones.
 */
interface Golden {
  readonly job_id: string;
  /** The stream up to and with the event that the file is about. */
  readonly stream: readonly {
    id: string;
    type: string;
    schema_version: number;
    actor: string;
    recorded_at: string;
    data: unknown;
  }[];
  /** Kept from clients, but decided on. */
  readonly kept: Readonly<Record<string, unknown>>;
  readonly view: Readonly<Record<string, unknown>>;
}

const folder = new URL('./golden/', import.meta.url);
const files = readdirSync(folder).sort();

function readGolden(file: string): Golden {
  return JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Golden;
}

describe('an event that was stored once', () => {
  it.each(files)('is read for ever: %s', (file) => {
    const { job_id, stream, kept, view } = readGolden(file);
    const events = stream.map(({ id, type, data, schema_version, actor, recorded_at }, version) =>
      recordedJobEvent({
        id,
        type,
        data,
        version,
        recordedAt: Date.parse(recorded_at),
        metadata: { schema_version, actor },
      }),
    );
    const last = stream.at(-1);
    expect(file).toBe(`${last?.type}.v${last?.schema_version}.json`);
    const job = fold(job_id, events);
    expect(job && jobView(job)).toEqual(view);
    expect(job).toMatchObject(kept);
  });

  it('has a file for every type and every schema version up to today', () => {
    const wanted = JOB_EVENT_TYPES.flatMap((type) =>
      Array.from({ length: JOB_EVENT_SCHEMA_VERSIONS[type] }, (_, index) => `${type}.v${index + 1}.json`),
    );
    expect(files).toEqual(wanted.sort());
  });

  it('may carry fields of a later minor change, which are left out', () => {
    const data = { reason: null, later: { a: 1 } };
    expect(readJobEvent({ type: 'Cancelled', schemaVersion: 1, data })).toEqual({
      type: 'Cancelled',
      data: { reason: null },
    });
  });
});

describe('an event that this program cannot read', () => {
  it.each<[string, string, number, unknown]>([
    ['an unknown type', 'Paused', 1, {}],
    ['a name that objects have anyway', 'constructor', 1, {}],
    ['a newer schema version', 'Cancelled', 2, { reason: null }],
    ['a schema version of nothing', 'Cancelled', 0, { reason: null }],
    ['no data', 'Cancelled', 1, null],
    ['a missing field', 'Cancelled', 1, {}],
    ['a field of another kind', 'Claimed', 1, { worker_id: 7 }],
    ['an instant that is none', 'Released', 1, { scheduled_at: '2026-02-30T00:00:00Z', reason: null }],
    ['a result that is not there', 'Succeeded', 1, {}],
  ])('is refused, since a fold that guesses is wrong: %s', (_, type, schemaVersion, data) => {
    expect(() => readJobEvent({ type, schemaVersion, data })).toThrow(UnreadableEvent);
  });
});

describe('a history that no decision wrote', () => {
  const stream = (file: string) =>
    readGolden(file).stream.map(({ id, type, data, schema_version, actor, recorded_at }, version) =>
      recordedJobEvent({
        id,
        type,
        data,
        version,
        recordedAt: Date.parse(recorded_at),
        metadata: { schema_version, actor },
      }),
    );
  const last = (file: string) => stream(file).at(-1) as ReturnType<typeof recordedJobEvent>;

  it.each(JOB_EVENT_TYPES.filter((type) => type !== 'Submitted'))('does not begin with %s', (type) => {
    expect(() => fold('j', [{ ...last(`${type}.v1.json`), version: 0 }])).toThrow(IllegalHistory);
  });

  it.each(Object.keys(jobEventData).filter((type) => type !== 'Acknowledged' && type !== 'KeyReleased'))(
    'has no %s after a success',
    (type) => {
      const before = stream('Succeeded.v1.json');
      expect(() => fold('j', [...before, { ...last(`${type}.v1.json`), version: before.length }])).toThrow(
        IllegalHistory,
      );
    },
  );

  it('has no claim with a token or an attempt out of turn', () => {
    const events = stream('Claimed.v1.json');
    const claim = events.at(-1);
    if (claim?.type !== 'Claimed') throw new Error('expected a claim');
    for (const wrong of [{ fencing_token: 2 }, { attempt: 2 }]) {
      const changed = { ...claim, data: { ...claim.data, ...wrong } };
      expect(() => fold('j', [...events.slice(0, -1), changed])).toThrow(IllegalHistory);
    }
  });
});
