import { z } from 'zod';
import { QUEUE_PATTERN } from '#domain/job/limits';
import type { ApiContext } from '../context.ts';
import type { App } from '../http/app-type.ts';
import { settleTables } from '../http/positions.ts';
import { minPosition } from '../http/query-fields.ts';
import type { TableName } from '../ports.ts';
import { pageOf } from '../schemas/page.ts';
import { answers } from '../schemas/problem.ts';
import { projectionSchema, queueSchema, workerSchema } from '../schemas/read-tables.ts';

const querystring = z.strictObject(minPosition);

/** Short lists, each whole on one page. */
export function listRoutes(app: App, context: ApiContext): void {
  const list = (url: string, names: readonly [string, string, string], item: z.ZodType, source: Source) => {
    const [operationId, tag, summary] = names;
    app.route({
      method: 'GET',
      url,
      schema: {
        operationId,
        tags: [tag],
        summary,
        querystring,
        response: answers({ 200: pageOf(item) }, ['read-model-behind']),
      },
      async handler(request, reply) {
        await settleTables(context, reply, source.tables, request.query.min_position);
        return reply.send({ data: await source.read(context.clock.now()), next_cursor: null });
      },
    });
  };
  const { reads } = context;
  list('/v1/queues', ['listQueues', 'queues', 'Queues, their depth and their rates'], queueSchema, {
    tables: ['jobs', 'due_jobs'],
    read: (now) => reads.queueViews(now),
  });
  list('/v1/workers', ['listWorkers', 'workers', 'Who is there'], workerSchema, {
    tables: ['workers'],
    read: (now) => reads.workerViews(now),
  });
  list('/v1/projections', ['listProjections', 'projections', 'How far the read tables are'], projectionSchema, {
    tables: [],
    read: (now) => reads.projectionViews(now),
  });
}

interface Source {
  readonly tables: readonly TableName[];
  readonly read: (now: number) => Promise<readonly object[]>;
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
