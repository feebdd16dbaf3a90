import fc from 'fast-check';
import type { JobCommand } from '#domain/job/commands';
import type { Decision } from '#domain/job/decide';
import { dueAt, type Job } from '#domain/job/state';
import type { JsonValue } from '#domain/json/value';
import { apply, type History, NOON, submittedJob } from './jobs.ts';

/** One try at moving a job: by anybody, at any time, with any token. */
interface Step {
  readonly kind: JobCommand['kind'];
  /** Which token a worker names: the last one given out, or one before or after it. */
  readonly tokenOff: number;
  /** When: so long after the last step, or around the instant at which the job is due. */
  readonly when: { readonly passMs: number } | { readonly aroundDueMs: number };
  readonly actor: string;
  readonly random: number;
  readonly seconds: number;
  readonly why: 'error' | 'timeout';
  readonly flag: boolean;
  readonly value: JsonValue;
}

export interface Tried {
  readonly command: JobCommand;
  readonly decision: Decision;
  readonly before: Job;
  readonly after: Job;
  readonly now: number;
}

/** What a sequence of tries made of a job. */
export interface Life extends History {
  readonly tried: readonly Tried[];
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant<JobCommand['kind']>('claim') },
    {
      weight: 10,
      arbitrary: fc.constantFrom<JobCommand['kind']>('fail', 'release', 'end-lease', 'heartbeat', 'cancel', 'replay'),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom<JobCommand['kind']>('complete', 'reschedule', 'acknowledge', 'release-key'),
    },
  ),
  tokenOff: fc.constantFrom(0, 0, 0, 0, 0, -1, -2, 1),
  when: fc.oneof(
    fc.record({ aroundDueMs: fc.constantFrom(-1, 0, 0, 0, 1, 60_000) }),
    fc.record({ passMs: fc.oneof(fc.integer({ min: 0, max: 40_000 }), fc.constantFrom(-5000, 0, 86_400_000)) }),
  ),
  actor: fc.constantFrom('worker:a', 'worker:b', 'key:ops', 'system:sweeper', 'schedule:nightly', 'anonymous'),
  random: fc.double({ min: 0, max: 1, noNaN: true }),
  seconds: fc.constantFrom(0, 0, 0.25, 7, 3600),
  why: fc.constantFrom('error', 'timeout'),
  flag: fc.boolean(),
  value: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>,
});

const request = fc.record(
  {
    priority: fc.integer({ min: -100, max: 100 }),
    max_attempts: fc.integer({ min: 1, max: 4 }),
    max_crashes: fc.integer({ min: 1, max: 4 }),
    lease_seconds: fc.integer({ min: 5, max: 60 }),
    timeout_seconds: fc.option(fc.integer({ min: 1, max: 120 })),
    delay_seconds: fc.constantFrom(0, 0, 30),
    retry: fc.constantFrom(
      { strategy: 'fixed', delay_seconds: 3 },
      { strategy: 'linear', base_seconds: 2 },
      { strategy: 'exponential' },
      { strategy: 'list', delays_seconds: [1, 5, 0] },
    ),
  },
  { requiredKeys: [] },
);

/** Lives of jobs under up to 60 commands each, most of them possible, many not. */
export const lives: fc.Arbitrary<Life> = fc
  .tuple(request, fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }))
  .map(([submitted, steps]) => live(submittedJob(submitted), steps));

function live(begin: History, steps: readonly Step[]): Life {
  let history = begin;
  let clock = NOON;
  const tried: Tried[] = [];
  for (const next of steps) {
    const before = history.job;
    const due = dueAt(before) ?? clock;
    clock = 'passMs' in next.when ? clock + next.when.passMs : Math.max(clock, due + next.when.aroundDueMs);
    const command = commandOf(next, before, clock);
    const { actor, random } = next;
    const result = apply(history, command, { now: clock, random, actor });
    history = result.history;
    tried.push({
      command,
      decision: result.decision,
      before,
      after: history.job,
      now: Math.max(clock, before.updatedAt),
    });
  }
  return { ...history, tried };
}

function commandOf(step: Step, job: Job, clock: number): JobCommand {
  const { kind, flag, seconds, value, why } = step;
  const fencingToken = job.fencingToken + step.tokenOff;
  const reason = flag ? 'because' : null;
  switch (kind) {
    case 'claim':
      return { kind, workerId: step.actor, leaseSeconds: flag ? 10 : null, requestId: reason };
    case 'heartbeat':
      return { kind, fencingToken, ...(flag && { progress: value }) };
    case 'complete':
      return { kind, fencingToken, result: value };
    case 'fail': {
      const error = { message: 'boom', code: reason, stack: reason };
      return { kind, fencingToken, error, why, retryable: seconds !== 7, retryAfterSeconds: flag ? seconds : null };
    }
    case 'release':
      return { kind, fencingToken, delaySeconds: seconds, reason };
    case 'replay':
      return { kind, reason, maxAttempts: flag ? 2 : null };
    case 'reschedule':
      return { kind, scheduledAt: flag ? clock + seconds * 1000 : null, priority: flag ? null : 5 };
    case 'cancel':
    case 'acknowledge':
      return { kind, reason };
    case 'end-lease':
    case 'release-key':
      return { kind };
  }
}
