import type { JobCommand } from '#domain/job/commands';
import type { CompleteRequest, FailRequest, HeartbeatRequest, ReleaseRequest } from '../schemas/lease.ts';

/* What a worker reports, as commands. A timeout that a worker found is told by the error code `timeout`. */

export function heartbeatCommand({ fencing_token, progress, checkpoint }: HeartbeatRequest): JobCommand {
  return {
    kind: 'heartbeat',
    fencingToken: fencing_token,
    ...(progress !== undefined && { progress }),
    ...(checkpoint !== undefined && { checkpoint }),
  };
}

export function completeCommand({ fencing_token, result = null }: CompleteRequest): JobCommand {
  return { kind: 'complete', fencingToken: fencing_token, result };
}

export function failCommand(request: FailRequest): JobCommand {
  const { message, code = null, stack = null } = request.error;
  return {
    kind: 'fail',
    fencingToken: request.fencing_token,
    error: { message, code, stack },
    why: code === 'timeout' ? 'timeout' : 'error',
    retryable: request.retryable ?? true,
    retryAfterSeconds: request.retry_after_seconds ?? null,
  };
}

export function releaseCommand({ fencing_token, delay_seconds = 0, reason = null }: ReleaseRequest): JobCommand {
  return { kind: 'release', fencingToken: fencing_token, delaySeconds: delay_seconds, reason };
}
