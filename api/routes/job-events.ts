import { z } from 'zod';
import type { ApiContext } from '../context.ts';
import type { App } from '../http/app-type.ts';
import { checkPosition } from '../http/positions.ts';
import { digits, minPosition, parameter } from '../http/query-fields.ts';
import { jobNotFound } from '../problems/rejections.ts';
import { eventSchema, eventView } from '../schemas/event.ts';
import { jobPath } from '../schemas/job.ts';
import { pageOf } from '../schemas/page.ts';
import { answers } from '../schemas/problem.ts';
import { historyCursor, readHistoryCursor } from './history-cursor.ts';

const MOST = 1000;

const querystring = z.strictObject({
  limit: digits(1, MOST).default(MOST),
  cursor: parameter.cursor.optional(),
  ...minPosition,
});

export function jobEventsRoute(app: App, context: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/v1/jobs/:id/events',
    schema: {
      operationId: 'listJobEvents',
      tags: ['jobs'],
      summary: "A job's whole history, oldest first",
      description: "Read from the job's stream itself, so it is never behind.",
      params: jobPath,
      querystring,
      response: answers({ 200: pageOf(eventSchema) }, ['not-found']),
    },
    async handler(request, reply) {
      const { id } = request.params;
      const { limit, cursor, min_position } = request.query;
      if (min_position !== undefined) await checkPosition(context, min_position, { parameter: 'min_position' });
      const from = cursor === undefined ? 0 : readHistoryCursor(id, cursor);
      const found = await context.commands.history(id, { from, limit: limit + 1 });
      if (!found) throw jobNotFound();
      const events = found.slice(0, limit);
      const last = events.at(-1);
      if (last) reply.header('Holdfast-Position', last.position);
      const more = last && found.length > limit;
      return reply.send({
        data: events.map((event) => eventView(id, event)),
        next_cursor: more ? historyCursor(id, last.version + 1) : null,
      });
    },
  });
}
