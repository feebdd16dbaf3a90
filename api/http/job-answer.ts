import type { FastifyReply } from 'fastify';
import type { CommandOutcome, JobAt } from '#commands/contract';
import { jobView } from '#domain/job/view';
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
