import type { FastifyReply, FastifyRequest } from 'fastify';
import { problemOf } from '../problems/from-error.ts';
import { type ApiProblem, PROBLEM_MEDIA_TYPE, problemBody } from '../problems/problem.ts';

/** Answers any error as a problem. Only bugs of ours are logged as errors; nothing of them is told but the request id. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = problemOf(error);
  if (problem.code === 'internal') request.log.error({ err: error, reqId: request.id }, 'a request failed');
  else if (problem.status >= 500) request.log.warn({ err: error, reqId: request.id }, 'a request was put off');
  if (problem.code === 'payload-too-large') letTheRestIn(request, reply);
  return sendProblem(problem, request, reply);
}

/**
 * A client that is still sending when the connection is closed gets a reset and never sees the answer. So the rest of the
 * body is taken and thrown away, for as long as a request may take.
 */
function letTheRestIn(request: FastifyRequest, reply: FastifyReply): void {
  reply.removeHeader('Connection');
  request.raw.resume();
}

function sendProblem(problem: ApiProblem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .code(problem.status)
    .headers({ ...problem.headers, 'Request-Id': request.id })
    .type(PROBLEM_MEDIA_TYPE)
    .send(JSON.stringify(problemBody(problem, request)));
}
