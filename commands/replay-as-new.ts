import { derivedUuid } from '#domain/job/identity';
import type { DeadJob } from '#domain/job/state';
import { decideSubmit, type SubmitRequest } from '#domain/job/submit';
import type { JsonValue } from '#domain/json/value';
import type { Call, CommandOutcome, ReplayAsNew } from './contract.ts';
import type { Deps } from './deps.ts';
import { move } from './new-events.ts';
import { readJobs } from './read-jobs.ts';
import { digest, sha256 } from './sha256.ts';

/**
 * Replays a dead job with another payload: a new job that names the old one, which stays as it is. The new id derives from
 * the old job, its last claim and the change, so pressing twice makes one job.
 */
export async function replayAsNew(
  deps: Deps,
  jobId: string,
  changes: ReplayAsNew,
  call: Call,
): Promise<CommandOutcome> {
  const found = (await readJobs(deps, [{ jobId }])).get(jobId);
  if (!found) return { kind: 'not-found' };
  if (found instanceof Error) return { kind: 'failed', error: found };
  const { job } = found;
  if (job.status !== 'dead') {
    return { kind: 'rejected', rejection: { code: 'not-dead', status: job.status }, ...found };
  }
  const sent = { payload: changes.payload ?? {}, max_attempts: changes.maxAttempts } satisfies JsonValue;
  const fingerprint = digest(sent);
  const newId = derivedUuid(sha256, ['replay-as-new', job.id, job.fencingToken, fingerprint]);
  const now = Math.max(deps.clock.now(), job.updatedAt);
  const event = decideSubmit(sameButFor(job, changes), {
    fingerprint,
    idempotencyKey: null,
    keyUse: null,
    reason: changes.reason,
    origin: { kind: 'replay-as-new', schedule: null, occurrence_at: null, job_id: job.id },
    now,
  });
  const eventId = deps.newId();
  const start = { stream: deps.names.job(newId), jobId: newId, before: null, causedBy: job.lastEventId };
  const made = move({ ...start, events: [event], call, recordedAt: now, eventId: () => eventId });
  const [result] = await deps.log.append([made.append]);
  if (result?.kind === 'appended') {
    deps.observe.written('Submitted', made.job);
    return { kind: 'done', changed: true, job: made.job, position: result.position };
  }
  const existing = (await readJobs(deps, [{ jobId: newId }])).get(newId);
  if (existing instanceof Error) return { kind: 'failed', error: existing };
  return existing ? { kind: 'done', changed: false, ...existing } : { kind: 'not-found' };
}

function sameButFor(job: DeadJob, changes: ReplayAsNew): SubmitRequest {
  return {
    type: job.type,
    queue: job.queue,
    payload: changes.payload,
    priority: job.priority,
    max_attempts: changes.maxAttempts ?? job.maxAttempts,
    max_crashes: job.maxCrashes,
    retry: job.retry,
    lease_seconds: job.leaseSeconds,
    timeout_seconds: job.timeoutSeconds,
    tags: [...job.tags],
  };
}
