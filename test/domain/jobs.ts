import type { DecisionContext, JobCommand } from '#domain/job/commands';
import { type Decision, decide } from '#domain/job/decide';
import type { JobEvent, RecordedJobEvent } from '#domain/job/events';
import { evolve } from '#domain/job/evolve';
import type { Job, RunningJob } from '#domain/job/state';
import { decideSubmit, parseSubmit, SUBMITTED_BY_API } from '#domain/job/submit';

export const JOB_ID = '01937d2e-8c4a-7b1e-9f00-5a1c2d3e4f50';
export const NOON = Date.UTC(2026, 10, 30, 12);

/** A job with its whole history, as a shell without I/O keeps it. */
export interface History {
  readonly job: Job;
  readonly events: readonly RecordedJobEvent[];
  /** The job after each event. */
  readonly states: readonly Job[];
}

/** A fresh job, submitted at noon. */
export function submittedJob(request: Record<string, unknown> = {}, now = NOON): History {
  const event = decideSubmit(parseSubmit(request), {
    fingerprint: 'f'.repeat(64),
    idempotencyKey: null,
    keyUse: null,
    origin: SUBMITTED_BY_API,
    now,
  });
  return grown({ events: [], states: [] }, null, [event], now, 'anonymous');
}

/** Decides a command as the shell does: never earlier than the last event; what is decided is recorded. */
export function apply(
  history: History,
  command: JobCommand,
  { now, random = 1, actor = 'anonymous' }: { now: number; random?: number; actor?: string },
): { history: History; decision: Decision } {
  const context: DecisionContext = { now: Math.max(now, history.job.updatedAt), random };
  const decision = decide(history.job, command, context);
  if (decision.kind !== 'events') return { history, decision };
  return { history: grown(history, history.job, decision.events, context.now, actor), decision };
}

/** The same for a command that must lead to events. */
export function moved(history: History, command: JobCommand, now: number, actor = 'anonymous'): History {
  const { history: next, decision } = apply(history, command, { now, actor });
  if (decision.kind !== 'events') throw new Error(`${command.kind} led to ${JSON.stringify(decision)}`);
  return next;
}

export function claimedBy(history: History, workerId: string, now: number): History {
  return moved(history, { kind: 'claim', workerId, leaseSeconds: null, requestId: null }, now, `worker:${workerId}`);
}

export function failing(fencingToken: number, overrides: Partial<Extract<JobCommand, { kind: 'fail' }>> = {}) {
  return {
    kind: 'fail',
    fencingToken,
    error: { message: 'boom', code: null, stack: null },
    why: 'error',
    retryable: true,
    retryAfterSeconds: null,
    ...overrides,
  } as const satisfies JobCommand;
}

export function releasing(fencingToken: number, delaySeconds = 0) {
  return { kind: 'release', fencingToken, delaySeconds, reason: null } as const satisfies JobCommand;
}

export function running({ job }: History): RunningJob {
  if (job.status !== 'running') throw new Error(`expected a running job, it is ${job.status}`);
  return job;
}

/** Why a command is refused, or the kind of the decision when it is not. */
export function rejectionOf(job: Job, command: JobCommand, now = NOON) {
  const decision = decide(job, command, { now, random: 1 });
  return decision.kind === 'rejected' ? decision.rejection : decision.kind;
}

export function typesOf(events: readonly { readonly type: string }[]): string[] {
  return events.map(({ type }) => type);
}

function grown(
  before: Pick<History, 'events' | 'states'>,
  job: Job | null,
  decided: readonly JobEvent[],
  recordedAt: number,
  actor: string,
): History {
  const events = [...before.events];
  const states = [...before.states];
  let current = job;
  for (const event of decided) {
    const version = events.length;
    const recorded: RecordedJobEvent = { ...event, id: `event-${version}`, version, recordedAt, actor };
    current = evolve(JOB_ID, current, recorded);
    events.push(recorded);
    states.push(current);
  }
  return { job: current as Job, events, states };
}
