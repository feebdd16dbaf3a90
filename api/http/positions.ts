import type { FastifyReply } from 'fastify';
import type { ApiContext } from '../context.ts';
import type { Position, TableName } from '../ports.ts';
import { ApiProblem, invalidRequest, type WrongField } from '../problems/problem.ts';

const WAIT_FOR_TABLES_MS = 5000;

/**
 * Checks a position that a client sent.
 * @param place - Where it stood in the request.
 * @throws ApiProblem 400 when it is none of this log's, or lies beyond its head.
 */
export async function checkPosition(
  { log }: ApiContext,
  text: string,
  place: { readonly parameter: string } | { readonly header: string },
): Promise<Position> {
  try {
    return await log.checkPosition(text);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ForeignPosition') throw error;
    const wrong: WrongField = { ...place, detail: 'must be a position of this log, not beyond its head' };
    throw invalidRequest([wrong]);
  }
}

/**
 * Waits until read tables show everything up to the position the client asked for, and tells with the answer how far they
 * are. The position is taken before the tables are read, so the answer never shows less than it says.
 * @throws ApiProblem `read-model-behind` rather than an old answer.
 */
export async function settleTables(
  context: ApiContext,
  reply: FastifyReply,
  tables: readonly TableName[],
  minPosition: string | undefined,
): Promise<void> {
  if (minPosition !== undefined) await waitForTables(context, tables, minPosition);
  const known = await context.reads.positionOf(tables);
  // What was waited for has been reached, even if the checkpoint is told of it a moment later.
  const position = minPosition !== undefined && (known === null || known < minPosition) ? minPosition : known;
  if (position !== null) reply.header('Holdfast-Position', position);
}

async function waitForTables(context: ApiContext, tables: readonly TableName[], minPosition: string): Promise<void> {
  const position = await checkPosition(context, minPosition, { parameter: 'min_position' });
  const options = { timeoutMs: WAIT_FOR_TABLES_MS, signal: context.closing };
  if (await context.reads.waitForPosition(tables, position, options)) return;
  throw new ApiProblem('read-model-behind', `The tables did not reach position ${position} within 5 s.`, {
    headers: { 'Retry-After': '1' },
  });
}
