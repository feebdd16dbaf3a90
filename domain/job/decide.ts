import { plusSeconds, toInstantText } from '../instant.ts';
import type { DecisionContext, JobCommand, Rejection } from './commands.ts';
import type { DeadReason, FailureCause, JobEvent, JobFailure } from './events.ts';
import { MAX_ERROR_CODE_BYTES, RELEASES_BEFORE_BACKOFF } from './limits.ts';
import { backoffSeconds } from './retry.ts';
import { dueAt, isFinished, type Job, type RunningJob } from './state.ts';
import { boundedText } from './text.ts';

/**
 * What a command leads to: events to append at the job's version, nothing because it is so already, or a refusal.
 */
export type Decision =
  | { readonly kind: 'events'; readonly events: readonly JobEvent[] }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'rejected'; readonly rejection: Rejection };

type Command<K extends JobCommand['kind']> = Extract<JobCommand, { kind: K }>;

/** Decides a command on a job as it was folded. Pure: time and chance are arguments. */
export function decide(job: Job, command: JobCommand, context: DecisionContext): Decision {
  switch (command.kind) {
    case 'claim':
      return claim(job, command, context);
    case 'heartbeat':
    case 'complete':
    case 'fail':
    case 'release':
      return holdsLease(job, command.fencingToken)
        ? report(job, command, context)
        : rejected({ code: 'lease-lost', status: job.status, fencingToken: job.fencingToken });
    case 'end-lease':
      return endLease(job, context);
    case 'cancel':
      return cancel(job, command.reason);
    case 'replay':
      return replay(job, command, context);
    case 'reschedule':
      return reschedule(job, command, context);
    case 'acknowledge':
      if (job.status !== 'dead') return rejected({ code: 'not-dead', status: job.status });
      return job.acknowledged ? nothing : accepted({ type: 'Acknowledged', data: { reason: command.reason } });
    case 'release-key':
      if (!isFinished(job)) return rejected({ code: 'unique-held' });
      return job.keyReleased ? nothing : accepted({ type: 'KeyReleased', data: {} });
  }
}

function claim(job: Job, command: Command<'claim'>, { now }: DecisionContext): Decision {
  if (job.status !== 'pending') return rejected({ code: 'not-pending', status: job.status });
  if (job.scheduledAt > now) return rejected({ code: 'not-due', scheduledAt: job.scheduledAt });
  const leaseSeconds = command.leaseSeconds ?? job.leaseSeconds;
  return accepted({
    type: 'Claimed',
    data: {
      worker_id: command.workerId,
      attempt: job.attempt + 1,
      fencing_token: job.fencingToken + 1,
      lease_seconds: leaseSeconds,
      lease_expires_at: toInstantText(plusSeconds(now, leaseSeconds)),
      request_id: command.requestId,
    },
  });
}

/**
 * The fence. The clock has no say here: until an event ends the lease, its holder is the only one who can have started,
 * so a report that comes late is as good as one in time.
 */
function holdsLease(job: Job, fencingToken: number): job is RunningJob {
  return job.status === 'running' && job.fencingToken === fencingToken;
}

function report(
  job: RunningJob,
  command: Command<'heartbeat' | 'complete' | 'fail' | 'release'>,
  context: DecisionContext,
): Decision {
  switch (command.kind) {
    case 'heartbeat':
      return heartbeat(job, command, context);
    case 'complete':
      return accepted({ type: 'Succeeded', data: { result: command.result } });
    case 'fail': {
      const error: JobFailure = {
        message: boundedText(command.error.message),
        code: command.error.code === null ? null : boundedText(command.error.code, MAX_ERROR_CODE_BYTES),
        stack: command.error.stack === null ? null : boundedText(command.error.stack),
        retryable: command.retryable,
      };
      return failure(job, { error, why: command.why, retryAfterSeconds: command.retryAfterSeconds }, context);
    }
    case 'release':
      return release(job, command, context);
  }
}

/**
 * Extends the lease from now. A job with a timeout cannot be held beyond it by beats alone: the last lease ends one lease
 * after the timeout, which leaves the worker time to report it.
 */
function heartbeat(job: RunningJob, command: Command<'heartbeat'>, { now }: DecisionContext): Decision {
  const wanted = Math.max(job.lease.expiresAt, plusSeconds(now, job.lease.seconds));
  const startedAt = job.startedAt ?? now;
  const limit = job.timeoutSeconds === null ? wanted : plusSeconds(startedAt, job.timeoutSeconds + job.lease.seconds);
  return accepted({
    type: 'Heartbeat',
    data: {
      lease_expires_at: toInstantText(Math.min(wanted, Math.max(limit, job.lease.expiresAt))),
      ...(command.progress !== undefined && { progress: command.progress }),
      ...(command.checkpoint !== undefined && { checkpoint: command.checkpoint }),
    },
  });
}

/** An attempt ended without success: cancelled if that was asked, dead when the budget is spent, else tried again. */
function failure(
  job: RunningJob,
  failed: { error: JobFailure; why: FailureCause; retryAfterSeconds: number | null },
  { now, random }: DecisionContext,
): Decision {
  const { error, why } = failed;
  const last: JobEvent = { type: 'Failed', data: { error, why, retry_at: null } };
  if (job.cancel) return accepted(last, { type: 'Cancelled', data: { reason: job.cancel.reason } });
  const reason = deathAfterFailure(job, { why, retryable: error.retryable });
  if (reason) return accepted(last, { type: 'DeadLettered', data: { reason } });
  const asked = failed.retryAfterSeconds;
  // A handler's own arithmetic may give anything; what is no wait counts as not said.
  const delay =
    asked !== null && asked >= 0 && asked < Number.POSITIVE_INFINITY
      ? asked
      : backoffSeconds(job.retry, job.attempt, random);
  return accepted({ type: 'Failed', data: { error, why, retry_at: toInstantText(plusSeconds(now, delay)) } });
}

/** Why a job that failed once more is dead, or null when another attempt follows. */
function deathAfterFailure(job: Job, failure: { why: FailureCause; retryable: boolean }): DeadReason | null {
  if (!failure.retryable) return 'not-retryable';
  if (failure.why === 'lease-expired' && job.crashes + 1 >= job.maxCrashes) return 'crashes';
  return job.attempt >= job.maxAttempts ? 'attempts' : null;
}

/** A worker hands the job back unharmed; after many times in a row it is made to wait, or the job would spin. */
function release(job: RunningJob, command: Command<'release'>, { now, random }: DecisionContext): Decision {
  if (job.cancel) return accepted({ type: 'Cancelled', data: { reason: job.cancel.reason } });
  const inRow = job.releasesInRow + 1;
  const backoff =
    inRow < RELEASES_BEFORE_BACKOFF ? 0 : backoffSeconds(job.retry, inRow - RELEASES_BEFORE_BACKOFF + 1, random);
  const scheduledAt = plusSeconds(now, Math.max(command.delaySeconds, backoff));
  return accepted({ type: 'Released', data: { scheduled_at: toInstantText(scheduledAt), reason: command.reason } });
}

/** The only way a lease ends without its holder. The clock permits the event; the event ends the lease. */
function endLease(job: Job, context: DecisionContext): Decision {
  if (job.status !== 'running') return nothing;
  const due = dueAt(job) as number;
  if (due > context.now) return rejected({ code: 'lease-not-over', dueAt: due });
  if (job.lease.expiresAt > context.now) {
    return accepted({ type: 'Cancelled', data: { reason: job.cancel?.reason ?? null } });
  }
  const error: JobFailure = {
    message: `The lease of ${job.lease.workerId} ended at ${toInstantText(job.lease.expiresAt)} without an outcome`,
    code: 'lease-expired',
    stack: null,
    retryable: true,
  };
  return failure(job, { error, why: 'lease-expired', retryAfterSeconds: null }, context);
}

function cancel(job: Job, reason: string | null): Decision {
  switch (job.status) {
    case 'pending':
      return accepted({ type: 'Cancelled', data: { reason } });
    case 'running':
      return job.cancel ? nothing : accepted({ type: 'CancelRequested', data: { reason } });
    case 'cancelled':
      return nothing;
    case 'succeeded':
    case 'dead':
      return rejected({ code: 'already-final', status: job.status });
  }
}

function replay(job: Job, command: Command<'replay'>, { now }: DecisionContext): Decision {
  if (job.status !== 'dead') return rejected({ code: 'not-dead', status: job.status });
  if (job.keyReleased) return rejected({ code: 'unique-held' });
  const max_attempts = command.maxAttempts ?? job.maxAttempts;
  return accepted({
    type: 'Replayed',
    data: { reason: command.reason, max_attempts, scheduled_at: toInstantText(now) },
  });
}

/** A time in the past means now; without a time only the priority changes. */
function reschedule(job: Job, command: Command<'reschedule'>, { now }: DecisionContext): Decision {
  if (job.status !== 'pending') return rejected({ code: 'not-pending', status: job.status });
  const scheduledAt = command.scheduledAt === null ? job.scheduledAt : Math.max(now, command.scheduledAt);
  const scheduled_at = toInstantText(scheduledAt);
  return accepted({ type: 'Rescheduled', data: { scheduled_at, priority: command.priority ?? job.priority } });
}

const nothing: Decision = { kind: 'nothing' };

function accepted(...events: JobEvent[]): Decision {
  return { kind: 'events', events };
}

function rejected(rejection: Rejection): Decision {
  return { kind: 'rejected', rejection };
}
