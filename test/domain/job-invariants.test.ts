import fc from 'fast-check';
import { describe, it } from 'vitest';
import type { JobEventType, RecordedJobEvent } from '#domain/job/events';
import { evolve, fold } from '#domain/job/evolve';
import { isFinished, type Job, type JobStatus } from '#domain/job/state';
import { recordedJobEvent } from '#domain/job/upcast';
import { jobView } from '#domain/job/view';
import { type Life, lives } from './histories.ts';
import { JOB_ID } from './jobs.ts';

const LEGAL_MOVES: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  pending: ['running', 'cancelled'],
  running: ['succeeded', 'pending', 'dead', 'cancelled'],
  succeeded: [],
  dead: ['pending'],
  cancelled: [],
};

/** Holds for every life of a job, whatever was tried on it. */
function always(property: (life: Life) => void): void {
  fc.assert(fc.property(lives, property), { numRuns: 200 });
}

function must(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

/** Each event with the job before and after it. */
function moves({ events, states }: Life): { event: RecordedJobEvent; before: Job; after: Job }[] {
  return events.slice(1).map((event, index) => ({
    event,
    before: states[index] as Job,
    after: states[index + 1] as Job,
  }));
}

/** The events from the submit or a replay on, up to the next replay. */
function cycles({ events }: Life): RecordedJobEvent[][] {
  const all: RecordedJobEvent[][] = [];
  for (const event of events) {
    if (event.type === 'Submitted' || event.type === 'Replayed') all.push([]);
    all.at(-1)?.push(event);
  }
  return all;
}

function count(events: readonly RecordedJobEvent[], type: JobEventType): number {
  return events.filter((event) => event.type === type).length;
}

describe('whatever is tried on a job', () => {
  it('makes no move outside the state chart', () => {
    always((life) => {
      for (const { event, before, after } of moves(life)) {
        const legal = before.status === after.status || LEGAL_MOVES[before.status].includes(after.status);
        must(legal, `${event.type} moved ${before.status} to ${after.status}`);
      }
    });
  });

  it('leaves a finished job as it is, but for the replay of a dead one', () => {
    always((life) => {
      for (const { event, before, after } of moves(life)) {
        if (!isFinished(before)) continue;
        if (event.type === 'Replayed') must(before.status === 'dead', `a ${before.status} job was replayed`);
        else {
          must(event.type === 'Acknowledged' || event.type === 'KeyReleased', `${event.type} after the end`);
          must(after.status === before.status, `${event.type} changed the status`);
          must('finishedAt' in after && after.finishedAt === before.finishedAt, `${event.type} moved the end`);
        }
      }
    });
  });

  it('keeps attempt at the claims of the cycle less its releases', () => {
    always((life) => {
      for (const { after } of moves(life)) {
        const cycle = cycles({ ...life, events: life.events.slice(0, after.version + 1) }).at(-1) ?? [];
        const used = count(cycle, 'Claimed') - count(cycle, 'Released');
        must(after.attempt === used, `attempt ${after.attempt}, but ${used} were used`);
      }
    });
  });

  it('raises the fencing token by one at each claim and never otherwise', () => {
    always((life) => {
      for (const { event, before, after } of moves(life)) {
        const rise = after.fencingToken - before.fencingToken;
        must(rise === (event.type === 'Claimed' ? 1 : 0), `${event.type} raised the token by ${rise}`);
      }
    });
  });

  it('starts no more than max_attempts plus releases in one cycle', () => {
    always((life) => {
      for (const cycle of cycles(life)) {
        const first = cycle[0] as Extract<RecordedJobEvent, { type: 'Submitted' | 'Replayed' }>;
        const budget = first.data.max_attempts + count(cycle, 'Released');
        must(count(cycle, 'Claimed') <= budget, `${count(cycle, 'Claimed')} starts of ${budget}`);
      }
    });
  });

  it('lets no job live on after max_crashes lease expiries in a row', () => {
    always((life) => {
      let inRow = 0;
      for (const { event, after } of moves(life)) {
        if (event.type === 'Failed') inRow = event.data.why === 'lease-expired' ? inRow + 1 : 0;
        if (event.type === 'Released' || event.type === 'Replayed' || event.type === 'Succeeded') inRow = 0;
        must(after.crashes === inRow, `crashes ${after.crashes}, but ${inRow} in a row`);
        if (after.status === 'pending' || (event.type === 'Claimed' && after.status === 'running')) {
          must(inRow < after.maxCrashes, `alive after ${inRow} crashes of ${after.maxCrashes}`);
        }
      }
    });
  });

  it('answers a stale, foreign or never given token with lease-lost and writes nothing', () => {
    always(({ tried }) => {
      for (const { command, decision, before, after } of tried) {
        if (!('fencingToken' in command)) continue;
        const holds = before.status === 'running' && command.fencingToken === before.fencingToken;
        if (holds) must(decision.kind === 'events', `the holder's ${command.kind} was refused`);
        else {
          must(decision.kind === 'rejected' && decision.rejection.code === 'lease-lost', 'no lease-lost');
          must(after === before, 'something was written');
        }
      }
    });
  });

  it('never retries nor hands back a job once its cancel was asked for', () => {
    always((life) => {
      let asked = false;
      for (const { event, after } of moves(life)) {
        if (event.type === 'CancelRequested') asked = true;
        else if (asked) {
          must(event.type !== 'Released' && event.type !== 'DeadLettered', `${event.type} after the request`);
          if (event.type === 'Failed') must(event.data.retry_at === null, 'a retry after the request');
          must(['running', 'succeeded', 'cancelled'].includes(after.status), `${after.status} after the request`);
        }
      }
    });
  });

  it('never takes a running job from its holder but by an event that the clock permits', () => {
    always(({ tried }) => {
      for (const { command, decision, before, now } of tried) {
        if (before.status !== 'running' || decision.kind !== 'events') continue;
        must(command.kind !== 'claim', 'a claim took over a running job');
        if (command.kind !== 'end-lease') continue;
        const grace = before.cancel
          ? before.cancel.requestedAt + before.lease.seconds * 1000
          : Number.POSITIVE_INFINITY;
        must(now >= Math.min(before.lease.expiresAt, grace), 'the lease was not over');
      }
    });
  });

  it('never shortens a lease by a heartbeat', () => {
    always((life) => {
      for (const { event, before, after } of moves(life)) {
        if (event.type !== 'Heartbeat' || before.status !== 'running' || after.status !== 'running') continue;
        must(after.lease.expiresAt >= before.lease.expiresAt, 'the lease got shorter');
      }
    });
  });

  it('leaves no trace of one status in another', () => {
    always(({ states }) => {
      for (const job of states) {
        must('lease' in job === (job.status === 'running'), `lease in ${job.status}`);
        must('finishedAt' in job === isFinished(job), `end in ${job.status}`);
        must('deadReason' in job === (job.status === 'dead'), `dead reason in ${job.status}`);
        must('result' in job === (job.status === 'succeeded'), `result in ${job.status}`);
        const view = jobView(job);
        must((view.lease === null) === (job.status !== 'running'), `lease shown of ${job.status}`);
        must((view.finished_at === null) === !isFinished(job), `end shown of ${job.status}`);
      }
    });
  });

  it('ends with events in the same append, so that no fold stops at a failure without a follow-up', () => {
    always(({ tried }) => {
      for (const { decision } of tried) {
        if (decision.kind !== 'events') continue;
        const [first, second, ...more] = decision.events;
        must(first !== undefined && more.length === 0, `${decision.events.length} events at once`);
        const needsEnd = first.type === 'Failed' && first.data.retry_at === null;
        const ended = second?.type === 'DeadLettered' || second?.type === 'Cancelled';
        must(needsEnd ? ended : second === undefined, `${first.type} then ${second?.type}`);
      }
    });
  });
});

describe('every decided event', () => {
  it('is read again as it was written, after a round trip through JSON', () => {
    always((life) => {
      const stored = JSON.parse(JSON.stringify(life.events)) as readonly RecordedJobEvent[];
      const read = stored.map(({ actor, ...event }) =>
        recordedJobEvent({ ...event, metadata: { schema_version: 1, actor } }),
      );
      must(same(fold(JOB_ID, read), life.job), 'another job came back');
    });
  });

  it('folds to the same job at once, in two parts, and one by one', () => {
    always((life) => {
      const cut = Math.floor(life.events.length / 2);
      const half = fold(JOB_ID, life.events.slice(0, cut));
      must(same(fold(JOB_ID, life.events), life.job), 'the whole fold differs');
      must(same(fold(JOB_ID, life.events), fold(JOB_ID, life.events)), 'the second fold differs');
      must(same(fold(JOB_ID, life.events.slice(cut), half), life.job), 'the fold in two parts differs');
    });
  });

  it('can neither be left out nor come twice', () => {
    always((life) => {
      life.events.slice(1).forEach((event, index) => {
        const before = life.states[index] as Job;
        must(
          throws(() => evolve(JOB_ID, before, { ...event, version: event.version + 1 })),
          'a hole was folded',
        );
        must(
          throws(() => evolve(JOB_ID, life.states[index + 1] as Job, event)),
          'an event was folded twice',
        );
      });
    });
  });

  it('bears a time that is never earlier than that of the event before it', () => {
    always((life) => {
      for (const { before, after } of moves(life)) must(after.updatedAt >= before.updatedAt, 'time went back');
    });
  });
});

describe('the random lives', () => {
  it('reach every event and every end, or the properties above would say little', () => {
    const seen = new Set<string>();
    for (const life of fc.sample(lives, { numRuns: 400, seed: 1 })) {
      for (const { type } of life.events) seen.add(type);
      for (const job of life.states) {
        seen.add(job.status);
        if (job.status === 'dead') seen.add(job.deadReason);
      }
    }
    const wanted = [...Object.keys(LEGAL_MOVES), 'attempts', 'not-retryable', 'crashes'];
    const events: JobEventType[] = [
      'Heartbeat',
      'Released',
      'Replayed',
      'CancelRequested',
      'Rescheduled',
      'Acknowledged',
    ];
    const missing = [...wanted, ...events, 'KeyReleased'].filter((name) => !seen.has(name));
    must(missing.length === 0, `never seen: ${missing.join(', ')}`);
  });
});

function same(one: Job | null, other: Job | null): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

/** With members in one order, at every depth. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => [key, sorted(member)]);
}

function throws(action: () => unknown): boolean {
  try {
    action();
    return false;
  } catch {
    return true;
  }
}
