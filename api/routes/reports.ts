import { toInstantText } from '#domain/instant';
import type { ApiContext } from '../context.ts';
import type { App } from '../http/app-type.ts';
import { ifMatchHeader } from '../http/headers.ts';
import { answerJob, jobHeaders } from '../http/job-answer.ts';
import type { ProblemCode } from '../problems/codes.ts';
import { leaseLost } from '../problems/rejections.ts';
import { jobPath, jobSchema } from '../schemas/job.ts';
import {
  checkSizes,
  completeRequest,
  failRequest,
  heartbeatAnswer,
  heartbeatRequest,
  releaseRequest,
} from '../schemas/lease.ts';
import { answers } from '../schemas/problem.ts';
import { executeOne } from './execute-one.ts';
import { completeCommand, failCommand, heartbeatCommand, releaseCommand } from './report-command.ts';

/* What the holder of a lease says about its attempt. The fencing token is the fence: see the command's `decide`. */

const MAY_REFUSE: readonly ProblemCode[] = [
  'not-found',
  'lease-lost',
  'version-mismatch',
  'payload-too-large',
  'unsupported-media-type',
];

const route = (name: string, summary: string) => ({
  operationId: `${name}Job`,
  tags: ['workers'],
  summary,
  params: jobPath,
  headers: ifMatchHeader,
});

export function heartbeatRoute(app: App, context: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/v1/jobs/:id/heartbeat',
    schema: {
      ...route('heartbeat', 'Extend the lease, and tell progress'),
      body: heartbeatRequest,
      response: answers({ 200: heartbeatAnswer }, MAY_REFUSE),
    },
    async handler(request, reply) {
      checkSizes(request.body);
      const done = await executeOne(context, request, heartbeatCommand(request.body));
      // Written by an earlier try of this call, whose answer was lost, and ended since.
      if (done.job.status !== 'running') throw leaseLost(done.job);
      const { lease, cancel } = done.job;
      jobHeaders(reply, done);
      return reply.send({ lease_expires_at: toInstantText(lease.expiresAt), cancel_requested: cancel !== null });
    },
  });
}

export function completeRoute(app: App, context: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/v1/jobs/:id/complete',
    schema: {
      ...route('complete', 'The attempt succeeded'),
      body: completeRequest,
      response: answers({ 200: jobSchema }, MAY_REFUSE),
    },
    async handler(request, reply) {
      checkSizes(request.body);
      return answerJob(reply, 200, await executeOne(context, request, completeCommand(request.body)));
    },
  });
}

export function failRoute(app: App, context: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/v1/jobs/:id/fail',
    schema: {
      ...route('fail', 'The attempt failed'),
      body: failRequest,
      response: answers({ 200: jobSchema }, MAY_REFUSE),
    },
    async handler(request, reply) {
      return answerJob(reply, 200, await executeOne(context, request, failCommand(request.body)));
    },
  });
}

export function releaseRoute(app: App, context: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/v1/jobs/:id/release',
    schema: {
      ...route('release', 'Hand the job back without using up an attempt'),
      body: releaseRequest,
      response: answers({ 200: jobSchema }, MAY_REFUSE),
    },
    async handler(request, reply) {
      return answerJob(reply, 200, await executeOne(context, request, releaseCommand(request.body)));
    },
  });
}
