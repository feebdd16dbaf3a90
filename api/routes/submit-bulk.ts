import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Commands, SubmitOutcome } from '#commands/contract';
import { field } from '#domain/job/fields';
import type { Job } from '#domain/job/state';
import { submitRequest } from '#domain/job/submit';
import { jobView, type ListedJob, listedJob } from '#domain/job/view';
import { InvalidRequest } from '#domain/json/problems';
import type { ApiContext } from '../context.ts';
import type { App } from '../http/app-type.ts';
import { callOf } from '../http/call.ts';
import { idempotencyKeyHeader, idempotencyKeyOf } from '../http/headers.ts';
import { latest } from '../http/latest.ts';
import { problemOf } from '../problems/from-error.ts';
import { ApiProblem, invalidRequest, type ProblemBody, problemBody } from '../problems/problem.ts';
import { listedJobSchema } from '../schemas/job.ts';
import { answers, problemSchema } from '../schemas/problem.ts';
import { type BulkItem, readBulkItems } from './bulk-items.ts';
import type { AreServed } from './served.ts';
import { keyReused } from './submit.ts';

export const BULK_BODY_BYTES = 16 * 1024 * 1024;

const oneJob = z.strictObject({ ...submitRequest.shape, idempotency_key: field.idempotencyKey.nullable().optional() });

const body = z
  .strictObject({
    // Each item is judged alone, so the body as a whole does not stand or fall with one of them.
    jobs: z
      .array(z.unknown().meta(z.toJSONSchema(oneJob, { io: 'input', unrepresentable: 'any' })))
      .max(1000, 'must have at most 1000 items'),
    atomic: z.boolean().optional(),
  })
  .meta({ examples: [{ jobs: [{ type: 'noop' }, { type: 'noop', idempotency_key: 'a' }] }] });

const bulkAnswer = z.object({
  created: z.int(),
  refused: z.int(),
  results: z.array(
    z.object({
      index: z.int(),
      outcome: z.enum(['created', 'replayed', 'invalid', 'conflict']),
      job: listedJobSchema.nullable(),
      problem: problemSchema.nullable(),
    }),
  ),
});

interface BulkResult {
  readonly index: number;
  readonly outcome: 'created' | 'replayed' | 'invalid' | 'conflict';
  readonly job: ListedJob | null;
  readonly problem: ProblemBody | null;
}

export function submitBulkRoute(app: App, context: ApiContext, areServed: AreServed): void {
  app.route({
    method: 'POST',
    url: '/v1/jobs/bulk',
    bodyLimit: BULK_BODY_BYTES,
    config: { judgedAlone: 'jobs' },
    schema: {
      operationId: 'submitJobs',
      tags: ['jobs'],
      summary: 'Submit up to 1,000 jobs',
      description:
        'Each job is judged alone: bad ones are named, good ones go in. Answers 202 also when none did, so read the counts. With `atomic` all go in or none. An `Idempotency-Key` header gives each item the key `<key>#<index>`, unless it has one of its own.',
      headers: idempotencyKeyHeader,
      body,
      response: answers({ 202: bulkAnswer }, [
        'idempotency-key-reused',
        'not-supported-by-log',
        'payload-too-large',
        'unsupported-media-type',
      ]),
    },
    async handler(request, reply) {
      const items = readBulkItems(request.body.jobs, idempotencyKeyOf(request), request.itemProblems);
      const outcomes = request.body.atomic
        ? await submitTogether(context.commands, items, request)
        : await submitEach(context.commands, items, request);
      const created = [...outcomes.values()].filter(({ kind }) => kind === 'created').map(({ job }) => job);
      if (!(await areServed(distinct(created)))) reply.header('Holdfast-Warning', 'no-worker');
      return answer(
        reply,
        items.map((item, index) => resultOf(item, index, outcomes, request)),
        [...outcomes.values()],
      );
    },
  });
}

type Outcomes = ReadonlyMap<number, SubmitOutcome>;

async function submitEach(commands: Commands, items: readonly BulkItem[], request: FastifyRequest): Promise<Outcomes> {
  const good = items.flatMap((item, index) => ('submit' in item ? [{ index, submit: item.submit }] : []));
  if (good.length === 0) return new Map();
  const outcomes = await commands.submit(
    good.map(({ submit }) => submit),
    callOf(request),
  );
  return new Map(good.map(({ index }, at) => [index, outcomes[at] as SubmitOutcome]));
}

/** @throws ApiProblem when any item is bad; nothing was written then. */
async function submitTogether(
  commands: Commands,
  items: readonly BulkItem[],
  request: FastifyRequest,
): Promise<Outcomes> {
  const bad = items.flatMap((item) => ('error' in item ? [item.error] : []));
  if (bad.length > 0) throw allWrong(bad);
  if (items.length === 0) return new Map();
  const submits = items.flatMap((item) => ('submit' in item ? [item.submit] : []));
  const outcome = await commands.submitAtomically(submits, callOf(request));
  if (outcome.kind === 'written') return new Map(outcome.outcomes.map((written, index) => [index, written]));
  throw keysReused(outcome.conflicts);
}

function keysReused(conflicts: readonly { readonly index: number; readonly job: Job | null }[]): ApiProblem {
  const [first, ...more] = conflicts.map(({ index, job }) =>
    keyReused(job?.id ?? null, { pointer: `/jobs/${index}/idempotency_key` }),
  ) as [ApiProblem, ...ApiProblem[]];
  if (more.length === 0) return first;
  return new ApiProblem('idempotency-key-reused', `${conflicts.length} keys were used for other requests.`, {
    errors: [first, ...more].flatMap(({ errors }) => errors),
  });
}

/** Too large alone is 413, anything else among it 400. */
function allWrong(errors: readonly InvalidRequest[]): ApiProblem {
  const problems = errors.flatMap((error) => error.problems);
  if (errors.every(({ code }) => code === 'payload-too-large')) {
    return problemOf(new InvalidRequest(problems, 'payload-too-large'));
  }
  return invalidRequest(problems);
}

function resultOf(item: BulkItem, index: number, outcomes: Outcomes, request: FastifyRequest): BulkResult {
  if ('error' in item) {
    return { index, outcome: 'invalid', job: null, problem: problemBody(problemOf(item.error), request) };
  }
  const { kind, job } = outcomes.get(index) as SubmitOutcome;
  if (kind !== 'conflict') return { index, outcome: kind, job: listedJob(jobView(job)), problem: null };
  const problem = keyReused(job.id, { pointer: `/jobs/${index}/idempotency_key` });
  return { index, outcome: kind, job: null, problem: problemBody(problem, request) };
}

function answer(reply: FastifyReply, results: readonly BulkResult[], outcomes: readonly SubmitOutcome[]): FastifyReply {
  const count = (...wanted: BulkResult['outcome'][]) =>
    results.filter(({ outcome }) => wanted.includes(outcome)).length;
  const position = latest(outcomes.map((outcome) => outcome.position));
  if (position !== undefined) reply.header('Holdfast-Position', position);
  return reply.code(202).send({ created: count('created'), refused: count('invalid', 'conflict'), results });
}

function distinct(jobs: readonly { queue: string; type: string }[]): { queue: string; type: string }[] {
  return [...new Map(jobs.map(({ queue, type }) => [`${queue}/${type}`, { queue, type }])).values()].slice(0, 20);
}
