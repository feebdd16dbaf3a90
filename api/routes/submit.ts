import type { SubmitOutcome } from '#commands/contract';
import { checkPayloadSize, submitRequest } from '#domain/job/submit';
import type { JsonValue } from '#domain/json/value';
import type { ApiContext } from '../context.ts';
import type { App } from '../http/app-type.ts';
import { callOf } from '../http/call.ts';
import { idempotencyKeyHeader, idempotencyKeyOf } from '../http/headers.ts';
import { answerJob } from '../http/job-answer.ts';
import { ApiProblem } from '../problems/problem.ts';
import { jobSchema } from '../schemas/job.ts';
import { answers } from '../schemas/problem.ts';
import type { AreServed } from './served.ts';

const body = submitRequest.meta({
  examples: [{ type: 'noop' }, { type: 'image.resize', payload: { path: 'a.png' }, delay_seconds: 60 }],
});

export function submitRoute(app: App, { commands }: ApiContext, areServed: AreServed): void {
  app.route({
    method: 'POST',
    url: '/v1/jobs',
    schema: {
      operationId: 'submitJob',
      tags: ['jobs'],
      summary: 'Submit a job',
      description:
        'Answers 202 with the new job. With an `Idempotency-Key`, the same request sent again answers 200 with the job as it is now and `Idempotency-Replayed: true`. `Holdfast-Warning: no-worker` says that no live worker takes jobs of this queue and type.',
      headers: idempotencyKeyHeader,
      body,
      response: answers({ 202: jobSchema, 200: jobSchema }, [
        'idempotency-key-reused',
        'payload-too-large',
        'unsupported-media-type',
      ]),
    },
    async handler(request, reply) {
      checkPayloadSize(request.body.payload);
      const item = {
        request: request.body,
        sent: request.sentBody as JsonValue,
        idempotencyKey: idempotencyKeyOf(request),
      };
      const [outcome] = (await commands.submit([item], callOf(request))) as [SubmitOutcome];
      const { job, kind } = outcome;
      if (kind === 'conflict') throw keyReused(job.id, { header: 'Idempotency-Key' });
      if (!(await areServed([job]))) reply.header('Holdfast-Warning', 'no-worker');
      if (kind === 'replayed') reply.header('Idempotency-Replayed', 'true');
      reply.header('Location', `/v1/jobs/${job.id}`);
      return answerJob(reply, kind === 'created' ? 202 : 200, outcome);
    },
  });
}

/** `jobId` is null when an earlier item of the same bulk has the key. */
export function keyReused(jobId: string | null, place: { header: string } | { pointer: string }): ApiProblem {
  const holder = jobId === null ? 'an earlier item' : `job ${jobId}`;
  return new ApiProblem('idempotency-key-reused', `The key was used for another request, by ${holder}.`, {
    errors: [{ ...place, detail: 'was used for another request' }],
  });
}
