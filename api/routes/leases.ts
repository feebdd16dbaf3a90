import type { z } from 'zod';
import type { ClaimOutcome } from '#commands/contract';
import { toInstantText } from '#domain/instant';
import type { RunningJob } from '#domain/job/state';
import { jobView } from '#domain/job/view';
import type { ApiContext } from '../context.ts';
import type { App } from '../http/app-type.ts';
import { callOf, endOfCall } from '../http/call.ts';
import { ApiProblem } from '../problems/problem.ts';
import { leaseRequest, leasesAnswer } from '../schemas/lease.ts';
import { answers } from '../schemas/problem.ts';
import { claimOrWait, handBack, type LeaseCall } from './claim-wait.ts';
import { seenWorkers } from './seen-workers.ts';

export function leasesRoute(app: App, context: ApiContext): void {
  const seen = seenWorkers(context);
  app.route({
    method: 'POST',
    url: '/v1/leases',
    schema: {
      operationId: 'leaseJobs',
      tags: ['workers'],
      summary: 'Claim due jobs for a worker',
      description:
        'Each lease carries a fencing token, which every report of the attempt must name. With `wait_seconds` the call waits for work; it ends when the client goes away. A repeated `request_id` returns the leases of that call that are still held.',
      body: leaseRequest,
      response: answers({ 200: leasesAnswer }, [
        'in-progress',
        'idempotency-key-reused',
        'payload-too-large',
        'unsupported-media-type',
      ]),
    },
    async handler(request, reply) {
      const lease = leaseCall(request.body);
      const call = callOf(request, `worker:${lease.workerId}`);
      const signal = endOfCall(reply, context.closing);
      await seen(lease);
      const outcome = await claimOrWait(context, lease, call, signal);
      const { jobs, position } = claimedOrThrow(outcome);
      if (signal.aborted && !context.closing.aborted) await handBack(context, lease, jobs, call);
      reply.header('Holdfast-Position', position ?? (await context.log.head()));
      return reply.send({ leases: jobs.map(leaseView) });
    },
  });
}

function leaseCall(body: z.output<typeof leaseRequest>): LeaseCall {
  return {
    workerId: body.worker_id,
    queues: body.queues ?? null,
    types: body.types ?? null,
    maxJobs: body.max_jobs ?? 1,
    leaseSeconds: body.lease_seconds ?? null,
    requestId: body.request_id ?? null,
    waitSeconds: body.wait_seconds ?? 0,
  };
}

function claimedOrThrow(outcome: ClaimOutcome): Extract<ClaimOutcome, { kind: 'claimed' }> {
  switch (outcome.kind) {
    case 'claimed':
      return outcome;
    case 'in-progress':
      throw new ApiProblem('in-progress', 'A call with this request_id is under way.', {
        headers: { 'Retry-After': '1' },
        errors: [{ pointer: '/request_id', detail: 'is in use by another call' }],
      });
    case 'request-id-reused':
      throw new ApiProblem('idempotency-key-reused', 'This request_id belongs to another worker.', {
        errors: [{ pointer: '/request_id', detail: 'was used by another worker_id' }],
      });
  }
}

function leaseView(job: RunningJob): object {
  return {
    job: jobView(job),
    fencing_token: job.fencingToken,
    lease_expires_at: toInstantText(job.lease.expiresAt),
    lease_seconds: job.lease.seconds,
  };
}
