import { IllegalHistory } from '../history.ts';
import { parseInstant } from '../instant.ts';
import type { JobEventData, RecordedJobEvent } from './events.ts';
import type { CancelRequest, Job, JobFacts, RunningJob } from './state.ts';

/**
 * The job after one more event. Pure: the same events give the same job, for ever.
 * @param job - Null before `Submitted`.
 * @throws IllegalHistory when the event cannot follow; no move outside the state chart folds.
 */
export function evolve(jobId: string, job: Job | null, event: RecordedJobEvent): Job {
  if (event.version !== (job ? job.version + 1 : 0)) throw illegal(job, event, `version ${event.version}`);
  if (event.type === 'Submitted') {
    if (job) throw illegal(job, event);
    return submitted(jobId, event);
  }
  if (!job) throw illegal(job, event);
  return moved({ ...job, version: event.version, updatedAt: event.recordedAt, lastEventId: event.id }, event);
}

/** Folds a whole stream, or what follows a job that was folded before. */
export function fold(jobId: string, events: Iterable<RecordedJobEvent>, from: Job | null = null): Job | null {
  let job = from;
  for (const event of events) job = evolve(jobId, job, event);
  return job;
}

function moved(job: Job, event: Exclude<RecordedJobEvent, { type: 'Submitted' }>): Job {
  switch (event.type) {
    case 'Claimed':
      return claimed(job, event);
    case 'Heartbeat':
      return heartbeat(running(job, event), event.data);
    case 'Succeeded': {
      const { cancel } = running(job, event);
      const { result } = event.data;
      return { ...factsOf(job), status: 'succeeded', crashes: 0, cancel, result, finishedAt: event.recordedAt };
    }
    case 'Failed':
      return failed(running(job, event), event);
    case 'Released': {
      const facts = factsOf(running(job, event));
      return {
        ...facts,
        status: 'pending',
        attempt: facts.attempt - 1,
        crashes: 0,
        releases: facts.releases + 1,
        releasesInRow: facts.releasesInRow + 1,
        scheduledAt: instant(event.data.scheduled_at),
      };
    }
    case 'DeadLettered':
      return {
        ...factsOf(running(job, event)),
        status: 'dead',
        deadReason: event.data.reason,
        finishedAt: event.recordedAt,
        acknowledged: false,
      };
    case 'Replayed':
      return replayed(job, event);
    case 'CancelRequested':
      return { ...running(job, event), cancel: cancelRequest(event) };
    case 'Cancelled':
      return cancelled(job, event);
    case 'Rescheduled': {
      if (job.status !== 'pending') throw illegal(job, event);
      return { ...job, scheduledAt: instant(event.data.scheduled_at), priority: event.data.priority };
    }
    case 'Acknowledged':
      if (job.status !== 'dead') throw illegal(job, event);
      return { ...job, acknowledged: true };
    case 'KeyReleased':
      if (job.status === 'pending' || job.status === 'running') throw illegal(job, event);
      return { ...job, keyReleased: true };
  }
}

function submitted(id: string, event: Extract<RecordedJobEvent, { type: 'Submitted' }>): Job {
  const { data, recordedAt } = event;
  return {
    id,
    status: 'pending',
    type: data.type,
    queue: data.queue,
    payload: data.payload,
    priority: data.priority,
    tags: data.tags,
    createdAt: recordedAt,
    updatedAt: recordedAt,
    scheduledAt: instant(data.scheduled_at),
    startedAt: null,
    leaseSeconds: data.lease_seconds,
    timeoutSeconds: data.timeout_seconds,
    attempt: 0,
    maxAttempts: data.max_attempts,
    crashes: 0,
    maxCrashes: data.max_crashes,
    releases: 0,
    releasesInRow: 0,
    replays: 0,
    fencingToken: 0,
    retry: data.retry,
    lastError: null,
    progress: null,
    checkpoint: null,
    origin: data.origin,
    fingerprint: data.fingerprint,
    idempotencyKey: data.idempotency_key,
    keyUse: data.key_use,
    keyReleased: false,
    lastEventId: event.id,
    version: 0,
  };
}

function claimed(job: Job, event: Extract<RecordedJobEvent, { type: 'Claimed' }>): RunningJob {
  const { data } = event;
  if (job.status !== 'pending') throw illegal(job, event);
  if (data.fencing_token !== job.fencingToken + 1) throw illegal(job, event, `fencing token ${data.fencing_token}`);
  if (data.attempt !== job.attempt + 1) throw illegal(job, event, `attempt ${data.attempt}`);
  return {
    ...job,
    status: 'running',
    startedAt: event.recordedAt,
    attempt: data.attempt,
    fencingToken: data.fencing_token,
    lease: {
      workerId: data.worker_id,
      expiresAt: instant(data.lease_expires_at),
      seconds: data.lease_seconds,
      requestId: data.request_id,
    },
    cancel: null,
  };
}

function heartbeat(job: RunningJob, data: JobEventData<'Heartbeat'>): RunningJob {
  return {
    ...job,
    lease: { ...job.lease, expiresAt: instant(data.lease_expires_at) },
    progress: data.progress === undefined ? job.progress : data.progress,
    checkpoint: data.checkpoint === undefined ? job.checkpoint : data.checkpoint,
  };
}

/** Without `retry_at` the job stays running until the event beside it, in the same append, ends it. */
function failed(job: RunningJob, event: Extract<RecordedJobEvent, { type: 'Failed' }>): Job {
  const { error, why, retry_at } = event.data;
  const after = {
    crashes: why === 'lease-expired' ? job.crashes + 1 : 0,
    releasesInRow: 0,
    lastError: { ...error, why, attempt: job.attempt, at: event.recordedAt },
  };
  if (retry_at === null) return { ...job, ...after };
  return { ...factsOf(job), ...after, status: 'pending', scheduledAt: instant(retry_at) };
}

function replayed(job: Job, event: Extract<RecordedJobEvent, { type: 'Replayed' }>): Job {
  if (job.status !== 'dead' || job.keyReleased) throw illegal(job, event);
  return {
    ...factsOf(job),
    status: 'pending',
    attempt: 0,
    crashes: 0,
    releasesInRow: 0,
    replays: job.replays + 1,
    maxAttempts: event.data.max_attempts,
    // A crash budget that was never chosen is that of the attempts.
    maxCrashes: job.maxCrashes === job.maxAttempts ? event.data.max_attempts : job.maxCrashes,
    scheduledAt: instant(event.data.scheduled_at),
  };
}

function cancelled(job: Job, event: Extract<RecordedJobEvent, { type: 'Cancelled' }>): Job {
  if (job.status !== 'pending' && job.status !== 'running') throw illegal(job, event);
  const asked = job.status === 'running' ? job.cancel : null;
  return {
    ...factsOf(job),
    status: 'cancelled',
    finishedAt: event.recordedAt,
    cancel: asked ?? cancelRequest(event),
  };
}

function cancelRequest(event: Extract<RecordedJobEvent, { type: 'Cancelled' | 'CancelRequested' }>): CancelRequest {
  return { requestedAt: event.recordedAt, actor: event.actor, reason: event.data.reason };
}

/**
 * Leaves behind what belongs to one status only, so that no fold carries a lease into a state that has none. Spelled out, since
 * a rest pattern costs ten times as much.
 */
function factsOf(job: Job): JobFacts {
  return {
    id: job.id,
    type: job.type,
    queue: job.queue,
    payload: job.payload,
    priority: job.priority,
    tags: job.tags,
    createdAt: job.createdAt,
    updatedAt: job.updatedAt,
    scheduledAt: job.scheduledAt,
    startedAt: job.startedAt,
    leaseSeconds: job.leaseSeconds,
    timeoutSeconds: job.timeoutSeconds,
    attempt: job.attempt,
    maxAttempts: job.maxAttempts,
    crashes: job.crashes,
    maxCrashes: job.maxCrashes,
    releases: job.releases,
    releasesInRow: job.releasesInRow,
    replays: job.replays,
    fencingToken: job.fencingToken,
    retry: job.retry,
    lastError: job.lastError,
    progress: job.progress,
    checkpoint: job.checkpoint,
    origin: job.origin,
    fingerprint: job.fingerprint,
    idempotencyKey: job.idempotencyKey,
    keyUse: job.keyUse,
    keyReleased: job.keyReleased,
    lastEventId: job.lastEventId,
    version: job.version,
  };
}

function running(job: Job, event: RecordedJobEvent): RunningJob {
  if (job.status !== 'running') throw illegal(job, event);
  return job;
}

function instant(text: string): number {
  return parseInstant(text) as number;
}

function illegal(job: Job | null, event: RecordedJobEvent, why?: string): IllegalHistory {
  const before = job ? `a ${job.status} job at version ${job.version}` : 'nothing';
  return new IllegalHistory(`${event.type}${why ? ` (${why})` : ''} cannot follow ${before}`);
}
