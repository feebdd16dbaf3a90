import { z } from 'zod';
import type { ApiContext } from '../context.ts';
import { explainJob, readCauses } from '../explain/explain-job.ts';
import type { App } from '../http/app-type.ts';
import { jobHeaders } from '../http/job-answer.ts';
import { checkPosition } from '../http/positions.ts';
import { minPosition } from '../http/query-fields.ts';
import { jobNotFound } from '../problems/rejections.ts';
import { explanationSchema } from '../schemas/explanation.ts';
import { jobPath } from '../schemas/job.ts';
import { answers } from '../schemas/problem.ts';

export function explainRoute(app: App, context: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/v1/jobs/:id/explain',
    schema: {
      operationId: 'explainJob',
      tags: ['jobs'],
      summary: 'Why a job is not running, or why it ran more than once',
      params: jobPath,
      querystring: z.strictObject(minPosition),
      response: answers({ 200: explanationSchema }, ['not-found']),
    },
    async handler(request, reply) {
      const { id } = request.params;
      const { min_position } = request.query;
      if (min_position !== undefined) await checkPosition(context, min_position, { parameter: 'min_position' });
      const at = await context.commands.read(id);
      if (!at) throw jobNotFound();
      const now = context.clock.now();
      const waitsForWorker = at.job.status === 'pending' && at.job.scheduledAt <= now;
      const isServed = !waitsForWorker || (await context.reads.isServed(at.job.queue, at.job.type, now));
      const causes = await readCauses(context.commands, id);
      jobHeaders(reply, at);
      return reply.send(explainJob(at.job, { now, isServed, causes }));
    },
  });
}
