import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import type { Commands } from '#commands/contract';
import { reasonRequest, replayRequest, rescheduleCommand, rescheduleRequest } from '#domain/job/requests';
import { checkPayloadSize } from '#domain/job/submit';
import type { ApiContext } from '../context.ts';
import type { App } from '../http/app-type.ts';
import { callOf } from '../http/call.ts';
import { expectedVersion, ifMatchHeader } from '../http/headers.ts';
import { answerJob, doneOrThrow } from '../http/job-answer.ts';
import type { ProblemCode } from '../problems/codes.ts';
import { jobNotFound, rejectionProblem } from '../problems/rejections.ts';
import { jobPath, jobSchema } from '../schemas/job.ts';
import { answers } from '../schemas/problem.ts';
import { type Done, executeOne, type JobRequest } from './execute-one.ts';

/* What operators and clients do with a job: cancel, acknowledge, reschedule, replay. */

const MAY_REFUSE: readonly ProblemCode[] = [
  'not-found',
  'version-mismatch',
  'payload-too-large',
  'unsupported-media-type',
];

const withReason = reasonRequest.meta({ examples: [{ reason: 'no longer needed' }] });

export function cancelRoute(app: App, context: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/v1/jobs/:id/cancel',
    schema: {
      operationId: 'cancelJob',
      tags: ['jobs'],
      summary: 'Cancel a job',
      description:
        'A pending job is cancelled at once: 200. A running one is asked to stop: 202. A job that is cancelled already: 200. Any other end is final: 409.',
      params: jobPath,
      headers: ifMatchHeader,
      body: withReason,
      response: answers({ 200: jobSchema, 202: jobSchema }, [...MAY_REFUSE, 'already-final']),
    },
    async handler(request, reply) {
      const done = await executeOne(context, request, { kind: 'cancel', reason: request.body.reason ?? null });
      return answerJob(reply, done.job.status === 'running' ? 202 : 200, done);
    },
  });
}

export function acknowledgeRoute(app: App, context: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/v1/jobs/:id/acknowledge',
    schema: {
      operationId: 'acknowledgeJob',
      tags: ['jobs'],
      summary: 'Say that a dead job has been seen',
      description: 'The job stays dead and leaves the lists of what needs attention (`?acknowledged=false`).',
      params: jobPath,
      headers: ifMatchHeader,
      body: withReason,
      response: answers({ 200: jobSchema }, [...MAY_REFUSE, 'not-dead']),
    },
    async handler(request, reply) {
      const done = await executeOne(context, request, { kind: 'acknowledge', reason: request.body.reason ?? null });
      return answerJob(reply, 200, done);
    },
  });
}

const rescheduleBody = rescheduleRequest.meta({
  examples: [{ delay_seconds: 0 }, { scheduled_at: '2026-12-01T02:00:00Z', priority: 10 }],
});

export function rescheduleRoute(app: App, context: ApiContext): void {
  app.route({
    method: 'PATCH',
    url: '/v1/jobs/:id',
    schema: {
      operationId: 'rescheduleJob',
      tags: ['jobs'],
      summary: 'Change when a pending job runs, or its priority',
      description: '`delay_seconds` counts from now; 0 means at once.',
      params: jobPath,
      headers: ifMatchHeader,
      body: rescheduleBody,
      response: answers({ 200: jobSchema }, [...MAY_REFUSE, 'not-pending']),
    },
    async handler(request, reply) {
      const command = rescheduleCommand(request.body, context.clock.now());
      return answerJob(reply, 200, await executeOne(context, request, command));
    },
  });
}

const replayBody = replayRequest.meta({
  examples: [{ reason: 'the server is back' }, { payload: { path: 'b.png' } }],
});

export function replayRoute(app: App, context: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/v1/jobs/:id/replay',
    schema: {
      operationId: 'replayJob',
      tags: ['jobs'],
      summary: 'Let a dead job run again',
      description:
        'Attempts start anew, the history stays. With a `payload` a new job is made that names the old one as its origin; the answer is the new job.',
      params: jobPath,
      headers: ifMatchHeader,
      body: replayBody,
      response: answers({ 202: jobSchema }, [...MAY_REFUSE, 'not-dead', 'unique-held']),
    },
    async handler(request, reply) {
      const { payload } = request.body;
      const done =
        payload === undefined ? await replay(context, request) : await replayAsNew(context, request, payload);
      return answerReplay(reply, done);
    },
  });
}

type ReplayRequest = JobRequest & { body: z.output<typeof replayBody> };

function replay(context: ApiContext, request: ReplayRequest): Promise<Done> {
  const { reason = null, max_attempts: maxAttempts = null } = request.body;
  return executeOne(context, request, { kind: 'replay', reason, maxAttempts });
}

async function replayAsNew(
  { commands }: ApiContext,
  request: ReplayRequest,
  payload: NonNullable<ReplayRequest['body']['payload']>,
): Promise<Done> {
  checkPayloadSize(payload);
  const { reason = null, max_attempts: maxAttempts = null } = request.body;
  const { id } = request.params;
  const ifVersion = expectedVersion(request);
  if (ifVersion !== undefined) await requireVersion(commands, id, ifVersion);
  return doneOrThrow(await commands.replayAsNew(id, { payload, maxAttempts, reason }, callOf(request)));
}

/** The old job is only read by this replay, so there is no append that could prove its version. */
async function requireVersion(commands: Commands, id: string, version: number): Promise<void> {
  const at = await commands.read(id);
  if (!at) throw jobNotFound();
  if (at.job.version !== version) {
    throw rejectionProblem({ kind: 'rejected', rejection: { code: 'version-mismatch' }, ...at });
  }
}

function answerReplay(reply: FastifyReply, done: Done): FastifyReply {
  return answerJob(reply.header('Location', `/v1/jobs/${done.job.id}`), 202, done);
}
