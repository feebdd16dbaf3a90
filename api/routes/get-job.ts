import { z } from 'zod';
import type { JobAt } from '#commands/contract';
import { isFinished } from '#domain/job/state';
import type { ApiContext } from '../context.ts';
import type { App } from '../http/app-type.ts';
import { endOfCall } from '../http/call.ts';
import { hasVersion } from '../http/headers.ts';
import { answerJob, jobHeaders } from '../http/job-answer.ts';
import { checkPosition } from '../http/positions.ts';
import { digits, minPosition, parameter, whateverElseIsWrong } from '../http/query-fields.ts';
import { ApiProblem } from '../problems/problem.ts';
import { jobNotFound } from '../problems/rejections.ts';
import { jobPath, jobSchema } from '../schemas/job.ts';
import { answers } from '../schemas/problem.ts';

const querystring = z
  .strictObject({
    ...minPosition,
    wait: parameter.wait.optional().meta({ description: 'Waits so many seconds for the job to end' }),
    version: digits(0, Number.MAX_SAFE_INTEGER).optional().meta({ description: 'The job as it was at this version' }),
    as_of: parameter.instant.optional().meta({ description: 'The job as it was at this instant' }),
  })
  .refine(({ version, as_of }) => version === undefined || as_of === undefined, {
    path: ['as_of'],
    when: whateverElseIsWrong,
    message: 'must not be given together with version',
  })
  .refine(({ version, as_of, wait }) => wait === undefined || (version === undefined && as_of === undefined), {
    path: ['wait'],
    when: whateverElseIsWrong,
    message: 'must not be given together with version or as_of, since the past does not change',
  });

export function getJobRoute(app: App, context: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/v1/jobs/:id',
    schema: {
      operationId: 'getJob',
      tags: ['jobs'],
      summary: 'Get a job',
      description:
        'Folds the job from its stream, so it is never behind. `If-None-Match` with the ETag answers 304. `wait` holds the answer back until the job has ended or the time is over.',
      params: jobPath,
      querystring,
      response: answers({ 200: jobSchema }, ['not-found']),
    },
    async handler(request, reply) {
      const { id } = request.params;
      const { min_position, wait = 0, version, as_of } = request.query;
      if (min_position !== undefined) await checkPosition(context, min_position, { parameter: 'min_position' });
      const past = version !== undefined || as_of !== undefined;
      const at = past
        ? await jobInThePast(context, id, { version, asOf: as_of })
        : await jobWhenFinal(context, id, wait, endOfCall(reply, context.closing));
      if (!at) throw jobNotFound();
      if (hasVersion(request, at.job.version)) return jobHeaders(reply, at).code(304).send();
      return answerJob(reply, 200, at);
    },
  });
}

async function jobInThePast(
  { commands }: ApiContext,
  id: string,
  { version, asOf }: { version: number | undefined; asOf: number | undefined },
): Promise<JobAt> {
  const upTo = { ...(version !== undefined && { version }), ...(asOf !== undefined && { asOf }) };
  const at = await commands.read(id, upTo);
  if (at && (version === undefined || at.job.version === version)) return at;
  const now = await commands.read(id);
  if (!now) throw jobNotFound();
  throw new ApiProblem(
    'not-found',
    version === undefined
      ? `Job ${id} was not there yet at that instant.`
      : `Job ${id} has no version ${version}; its last is ${now.job.version}.`,
  );
}

/** A lost wake-up costs no more than this. */
const LOOK_AGAIN_MS = 5000;

async function jobWhenFinal(
  context: ApiContext,
  id: string,
  seconds: number,
  signal: AbortSignal,
): Promise<JobAt | null> {
  if (seconds === 0) return context.commands.read(id);
  const giveBack = context.waits.take();
  try {
    const stream = context.names.job(id);
    const end = performance.now() + seconds * 1000;
    await context.tail.start();
    for (;;) {
      const left = end - performance.now();
      const waiting = { timeoutMs: Math.min(left, LOOK_AGAIN_MS), signal };
      const moved = context.tail.next((event) => event.stream === stream, waiting);
      const at = await context.commands.read(id);
      if (!at || isFinished(at.job) || left <= 0 || signal.aborted) return at;
      await moved;
    }
  } finally {
    giveBack();
  }
}
