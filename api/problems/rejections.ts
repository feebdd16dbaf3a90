import type { CommandOutcome } from '#commands/contract';
import type { Job } from '#domain/job/state';
import { ApiProblem } from './problem.ts';

type Rejected = Extract<CommandOutcome, { kind: 'rejected' }>;

/** The problem that tells a client why its command on a job was refused. */
export function rejectionProblem({ rejection, job }: Rejected): ApiProblem {
  switch (rejection.code) {
    case 'lease-lost':
      return leaseLost(job);
    case 'not-pending':
      return new ApiProblem('not-pending', `Job ${job.id} is ${rejection.status}; only a pending job can be changed.`);
    case 'not-dead':
      return new ApiProblem('not-dead', `Job ${job.id} is ${rejection.status}; this is for dead jobs only.`);
    case 'already-final':
      return new ApiProblem('already-final', `Job ${job.id} is ${rejection.status} and stays so.`);
    case 'unique-held':
      return new ApiProblem('unique-held', `The idempotency key of job ${job.id} may belong to a newer job by now.`);
    case 'version-mismatch':
      return new ApiProblem('version-mismatch', `Job ${job.id} is at version ${job.version}.`, {
        headers: { ETag: `"${job.version}"` },
        errors: [{ header: 'If-Match', detail: `must be "${job.version}" or *` }],
      });
    case 'not-due':
    case 'lease-not-over':
      throw new Error(`No route sends a command that is refused with ${rejection.code}`);
  }
}

export function leaseLost({ id, status, fencingToken }: Job): ApiProblem {
  return new ApiProblem(
    'lease-lost',
    `The fencing token does not hold job ${id}: it is ${status} and its last token is ${fencingToken}. Nothing was written; stop working on it.`,
  );
}

export function jobNotFound(): ApiProblem {
  return new ApiProblem('not-found', 'There is no job with this id.');
}
