import fc from 'fast-check';
import type { JobCommand } from '#domain/job/commands';
import type { StreamAppend } from '#log/port';
import { JobHistory } from './histories.ts';

export const START = Date.UTC(2026, 10, 30, 12);

interface Step {
  readonly job: number;
  readonly command: string;
  readonly laterMs: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  job: fc.nat(19),
  command: fc.constantFrom(
    ...['submit', 'submit', 'claim', 'claim', 'claim', 'heartbeat', 'complete', 'fail', 'fail', 'release', 'end-lease'],
    ...['cancel', 'replay', 'reschedule', 'acknowledge', 'release-key'],
  ),
  laterMs: fc.nat(4000),
});

/** What the domain lets happen to twenty jobs in three queues when commands come in any order. */
export const randomHistories: fc.Arbitrary<readonly Step[]> = fc.array(step, { minLength: 200, maxLength: 400 });

/** Plays steps; those that the domain refuses write nothing. */
export function play(steps: readonly Step[]): { jobs: readonly JobHistory[]; appends: readonly StreamAppend[] } {
  const jobs = Array.from({ length: 20 }, () => new JobHistory());
  const appends: StreamAppend[] = [];
  let now = START;
  for (const { job: index, command, laterMs } of steps) {
    now += laterMs;
    const append = playOne(jobs[index] as JobHistory, index, command, now);
    if (append) appends.push(append);
  }
  return { jobs, appends };
}

function playOne(history: JobHistory, index: number, kind: string, now: number): StreamAppend | undefined {
  const { job } = history;
  if (job === null) {
    const request = { queue: `q${index % 3}`, max_attempts: 2, lease_seconds: 5, tags: index % 2 ? ['odd'] : [] };
    return history.submit({ ...request, payload: { index }, delay_seconds: index % 4 }, now);
  }
  const command = commandOf(kind, job.fencingToken, now);
  return command && history.step(command, now);
}

function commandOf(kind: string, fencingToken: number, now: number): JobCommand | undefined {
  const error = { message: 'no', code: null, stack: null };
  switch (kind) {
    case 'claim':
      return { kind, workerId: 'w', leaseSeconds: null, requestId: now % 2 ? `r${now}` : null };
    case 'heartbeat':
      return { kind, fencingToken, progress: { at: now } };
    case 'complete':
      return { kind, fencingToken, result: { at: now } };
    case 'fail':
      return { kind, fencingToken, error, why: 'error', retryable: true, retryAfterSeconds: 1 };
    case 'release':
      return { kind, fencingToken, delaySeconds: 1, reason: null };
    case 'reschedule':
      return { kind, scheduledAt: now + 500, priority: now % 5 };
    case 'replay':
      return { kind, reason: null, maxAttempts: null };
    case 'cancel':
    case 'acknowledge':
      return { kind, reason: null };
    case 'end-lease':
    case 'release-key':
      return { kind };
    default:
      return undefined;
  }
}
