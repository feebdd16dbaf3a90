import type { FastifyReply } from 'fastify';
import type { CommandOutcome, JobAt } from '#commands/contract';
import type { Job } from '#domain/job/state';
import { type JobView, jobView, LARGE_FIELDS } from '#domain/job/view';
import type { ListedJob } from '../ports.ts';
import { jobNotFound, rejectionProblem } from '../problems/rejections.ts';

/** Sends a job with its version and the position at which it is so. */
export function answerJob(reply: FastifyReply, status: number, { job, position }: JobAt): FastifyReply {
  return jobHeaders(reply, { job, position }).code(status).send(jobView(job));
}

export function jobHeaders(reply: FastifyReply, { job, position }: JobAt): FastifyReply {
  return reply.header('ETag', `"${job.version}"`).header('Holdfast-Position', position);
}

/** The job after a command on it. @throws ApiProblem when there is no such job or the command was refused; what made it fail. */
export function doneOrThrow(outcome: CommandOutcome | undefined): Extract<CommandOutcome, { kind: 'done' }> {
  if (outcome === undefined || outcome.kind === 'not-found') throw jobNotFound();
  if (outcome.kind === 'rejected') throw rejectionProblem(outcome);
  if (outcome.kind === 'failed') throw outcome.error;
  return outcome;
}

/** A job as lists and batch answers show it: without the fields that may be large. */
export function listedJob(job: Job): ListedJob {
  const view: { -readonly [K in keyof JobView]?: JobView[K] } = { ...jobView(job) };
  for (const name of LARGE_FIELDS) delete view[name];
  return view as ListedJob;
}
