import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { CommandItem, CommandOutcome } from '#commands/contract';
import type { JobCommand } from '#domain/job/commands';
import { jobView, listedJob } from '#domain/job/view';
import { fieldProblems, InvalidRequest, withoutRepeats } from '#domain/json/problems';
import type { FieldProblem } from '#domain/json/value';
import type { ApiContext } from '../context.ts';
import type { App } from '../http/app-type.ts';
import { callOf } from '../http/call.ts';
import { doneOrThrow } from '../http/job-answer.ts';
import { latest } from '../http/latest.ts';
import { problemOf } from '../problems/from-error.ts';
import { type ApiProblem, problemBody } from '../problems/problem.ts';
import { jobNotFound } from '../problems/rejections.ts';
import { jobPath, listedJobSchema } from '../schemas/job.ts';
import { checkSizes, type OutcomeItem, outcomeItem } from '../schemas/lease.ts';
import { answers, problemSchema } from '../schemas/problem.ts';
import { completeCommand, failCommand, heartbeatCommand, releaseCommand } from './report-command.ts';
import { BULK_BODY_BYTES } from './submit-bulk.ts';

const body = z
  .strictObject({
    outcomes: z
      .array(z.unknown().meta(z.toJSONSchema(outcomeItem, { io: 'input', unrepresentable: 'any' })))
      .max(1000, 'must have at most 1000 items'),
  })
  .meta({
    examples: [
      {
        outcomes: [
          { job_id: '01937d2e-8c4a-7b1e-9f00-5a1c2d3e4f50', fencing_token: 1, action: 'complete', result: null },
        ],
      },
    ],
  });

const outcomesAnswer = z.object({
  results: z.array(z.object({ index: z.int(), job: listedJobSchema.nullable(), problem: problemSchema.nullable() })),
});

export function outcomesRoute(app: App, context: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/v1/leases/outcomes',
    bodyLimit: BULK_BODY_BYTES,
    config: { judgedAlone: 'outcomes' },
    schema: {
      operationId: 'reportOutcomes',
      tags: ['workers'],
      summary: 'Up to 1,000 reports at once, each judged alone',
      description:
        'Results come in the order of the reports. Jobs in them lack payload, result, progress and checkpoint.',
      body,
      response: answers({ 200: outcomesAnswer }, ['payload-too-large', 'unsupported-media-type']),
    },
    async handler(request, reply) {
      const reports = request.body.outcomes.map((sent, index) =>
        readReport(sent, `/outcomes/${index}`, request.itemProblems.get(index) ?? []),
      );
      const outcomes = await executeAll(context, request, reports);
      const position = latest(
        [...outcomes.values()].map((outcome) => ('position' in outcome ? outcome.position : null)),
      );
      reply.header('Holdfast-Position', position ?? (await context.log.head()));
      return reply.send({
        results: reports.map((report, index) => resultOf(report, outcomes.get(index), index, request)),
      });
    },
  });
}

type Report = { readonly item: CommandItem } | { readonly problem: ApiProblem };

/** @param sentProblems - What is wrong with the report as it was sent, which its value does not show. */
function readReport(sent: unknown, base: string, sentProblems: readonly FieldProblem[]): Report {
  try {
    const outcome = readOutcome(sent, base, sentProblems);
    checkSizes(outcome, base);
    if (!jobPath.safeParse({ id: outcome.job_id }).success) return { problem: jobNotFound() };
    return { item: { jobId: outcome.job_id, command: commandOf(outcome) } };
  } catch (error) {
    if (error instanceof InvalidRequest) return { problem: problemOf(error) };
    throw error;
  }
}

/** @throws InvalidRequest naming every wrong field. */
function readOutcome(sent: unknown, base: string, sentProblems: readonly FieldProblem[]): OutcomeItem {
  const parsed = outcomeItem.safeParse(sent, { reportInput: true });
  const problems = withoutRepeats(sentProblems, parsed.error ? fieldProblems(parsed.error, base) : []);
  if (!parsed.success || problems.length > 0) throw new InvalidRequest(problems);
  return parsed.data;
}

function commandOf(outcome: OutcomeItem): JobCommand {
  switch (outcome.action) {
    case 'heartbeat':
      return heartbeatCommand(outcome);
    case 'complete':
      return completeCommand(outcome);
    case 'fail':
      return failCommand(outcome);
    case 'release':
      return releaseCommand(outcome);
  }
}

async function executeAll(
  { commands }: ApiContext,
  request: FastifyRequest,
  reports: readonly Report[],
): Promise<Map<number, CommandOutcome>> {
  const good = reports.flatMap((report, index) => ('item' in report ? [{ item: report.item, index }] : []));
  const outcomes = await commands.execute(
    good.map(({ item }) => item),
    callOf(request),
  );
  return new Map(good.map(({ index }, at) => [index, outcomes[at] as CommandOutcome]));
}

function resultOf(report: Report, outcome: CommandOutcome | undefined, index: number, request: FastifyRequest): object {
  try {
    if ('problem' in report) throw report.problem;
    return { index, job: listedJob(jobView(doneOrThrow(outcome).job)), problem: null };
  } catch (error) {
    const problem = problemOf(error);
    if (problem.code === 'internal') request.log.error({ err: error }, 'an outcome could not be recorded');
    return { index, job: null, problem: problemBody(problem, request) };
  }
}
