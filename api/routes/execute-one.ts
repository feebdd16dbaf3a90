import type { FastifyRequest } from 'fastify';
import type { CommandOutcome } from '#commands/contract';
import type { JobCommand } from '#domain/job/commands';
import type { ApiContext } from '../context.ts';
import { callOf } from '../http/call.ts';
import { expectedVersion } from '../http/headers.ts';
import { doneOrThrow } from '../http/job-answer.ts';

export type JobRequest = FastifyRequest<{ Params: { id: string } }>;

export type Done = Extract<CommandOutcome, { kind: 'done' }>;

/** Executes a command on the job of the path, at the version of `If-Match` where there is one. @throws as `doneOrThrow` */
export async function executeOne({ commands }: ApiContext, request: JobRequest, command: JobCommand): Promise<Done> {
  const ifVersion = expectedVersion(request);
  const item = { jobId: request.params.id, command, ...(ifVersion !== undefined && { ifVersion }) };
  const [outcome] = await commands.execute([item], callOf(request));
  return doneOrThrow(outcome);
}
