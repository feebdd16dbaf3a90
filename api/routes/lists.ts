import { z } from 'zod';
import { QUEUE_PATTERN } from '#domain/job/limits';
import type { ApiContext } from '../context.ts';
import type { App } from '../http/app-type.ts';
import { decodeCursor, encodeCursor } from '../http/cursor.ts';
import { settleTables } from '../http/positions.ts';
import { digits, minPosition, parameter } from '../http/query-fields.ts';
import type { TableName } from '../ports.ts';
import { pageOf } from '../schemas/page.ts';
import { answers } from '../schemas/problem.ts';
import { projectionSchema, queueSchema, workerSchema } from '../schemas/read-tables.ts';

const MOST = 1000;

const querystring = z.strictObject(minPosition);
const pageQuery = z.strictObject({
  limit: digits(1, MOST).default(MOST),
  cursor: parameter.cursor.optional(),
  ...minPosition,
});

/** Lists that are read whole, since they are short as a rule, and told page by page, by name. */
export function listRoutes(app: App, context: ApiContext): void {
  const list = <T extends object>(
    url: string,
    names: readonly [string, string, string],
    item: z.ZodType,
    source: Source<T>,
  ) => {
    const [operationId, tag, summary] = names;
    app.route({
      method: 'GET',
      url,
      schema: {
        operationId,
        tags: [tag],
        summary,
        querystring: pageQuery,
        response: answers({ 200: pageOf(item) }, ['read-model-behind']),
      },
      async handler(request, reply) {
        await settleTables(context, reply, source.tables, request.query.min_position);
        const items = await source.read(context.clock.now());
        return reply.send(pageByName(url, items, source.nameOf, request.query));
      },
    });
  };
  const { reads } = context;
  list('/v1/queues', ['listQueues', 'queues', 'Queues, their depth and their rates'], queueSchema, {
    tables: ['jobs', 'due_jobs'],
    read: (now) => reads.queueViews(now),
    nameOf: ({ name }) => name,
  });
  list('/v1/workers', ['listWorkers', 'workers', 'Who is there'], workerSchema, {
    tables: ['workers', 'jobs'],
    read: (now) => reads.workerViews(now),
    nameOf: ({ worker_id }) => worker_id,
  });
  list('/v1/projections', ['listProjections', 'projections', 'How far the read tables are'], projectionSchema, {
    tables: [],
    read: (now) => reads.projectionViews(now),
    nameOf: ({ name }) => name,
  });
}

interface Source<T extends object> {
  readonly tables: readonly TableName[];
  readonly read: (now: number) => Promise<readonly T[]>;
  readonly nameOf: (item: T) => string;
}

/** Names never move, so whatever is there during the whole walk comes exactly once. */
function pageByName<T extends object>(
  list: string,
  items: readonly T[],
  nameOf: (item: T) => string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): { data: readonly T[]; next_cursor: string | null } {
  const after = cursor === undefined ? null : decodeCursor(list, cursor);
  const sorted = items.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  const rest = after === null ? sorted : sorted.filter((item) => nameOf(item) > after);
  const data = rest.slice(0, limit);
  const last = rest.length > limit ? data.at(-1) : undefined;
  return { data, next_cursor: last ? encodeCursor(list, nameOf(last)) : null };
}

export function queueRoute(app: App, context: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/v1/queues/:name',
    schema: {
      operationId: 'getQueue',
      tags: ['queues'],
      summary: 'One queue',
      description: 'Needs no creation: a valid name that was never used answers with zeros.',
      params: z.object({ name: z.string().regex(QUEUE_PATTERN) }),
      querystring,
      response: answers({ 200: queueSchema }, ['not-found', 'read-model-behind']),
    },
    async handler(request, reply) {
      await settleTables(context, reply, ['jobs', 'due_jobs'], request.query.min_position);
      return reply.send(await context.reads.queueView(request.params.name, context.clock.now()));
    },
  });
}
