import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { JOB_EVENT_TYPES } from '#domain/job/events';
import type { ApiContext } from '../context.ts';
import { cloudEventSchema } from '../feed/cloud-event.ts';
import { streamFeed } from '../feed/event-stream.ts';
import type { FeedSources } from '../feed/feed.ts';
import { readFeedPage } from '../feed/feed-page.ts';
import { JobKinds } from '../feed/job-kinds.ts';
import type { App } from '../http/app-type.ts';
import { endOfCall } from '../http/call.ts';
import { checkPosition } from '../http/positions.ts';
import { digits, minPosition, parameter, repeated } from '../http/query-fields.ts';
import type { Position } from '../ports.ts';
import { answers } from '../schemas/problem.ts';

const querystring = z.strictObject({
  after: parameter.minPosition.optional().meta({ description: 'Exclusive; left out, the feed begins with the log' }),
  limit: digits(1, 1000).default(100),
  wait: parameter.wait.optional().meta({ description: 'Waits so many seconds when there is nothing yet' }),
  queue: repeated(parameter.queue),
  type: repeated(parameter.type).meta({ description: 'Of the job' }),
  event: repeated(z.enum(JOB_EVENT_TYPES as [string, ...string[]], `must be one of ${JOB_EVENT_TYPES.join(', ')}`)),
  actor: repeated(parameter.text(255)),
  ...minPosition,
});

type FeedQuery = z.output<typeof querystring>;

export function feedRoute(app: App, context: ApiContext): void {
  const sources: FeedSources = { ...context, kinds: new JobKinds(context.log) };
  app.route({
    method: 'GET',
    url: '/v1/events',
    exposeHeadRoute: false,
    schema: {
      operationId: 'listEvents',
      tags: ['events'],
      summary: 'The events of all jobs, in the order of the log',
      description:
        'CloudEvents with one resumable cursor. As JSON a page: `next_after` goes into `after`. With `Accept: text/event-stream` a stream of server-sent events, resumed by `Last-Event-ID`; a client that stops reading gets `event: resync` and is closed.',
      querystring,
      response: answers({ 200: z.object({ data: z.array(cloudEventSchema), next_after: z.string() }) }),
    },
    async handler(request, reply) {
      const { query } = request;
      if (query.min_position !== undefined) {
        await checkPosition(context, query.min_position, { parameter: 'min_position' });
      }
      const after =
        query.after === undefined ? null : await checkPosition(context, query.after, { parameter: 'after' });
      if (wantsStream(request)) return startStream(context, sources, { request, reply, query, after });
      const signal = endOfCall(reply, context.closing);
      const giveBack = query.wait ? context.waits.take() : undefined;
      try {
        const asked = { after, limit: query.limit, waitSeconds: query.wait ?? 0, filter: query, signal };
        const { data, nextAfter } = await readFeedPage(sources, asked);
        return reply.header('Holdfast-Position', nextAfter).send({ data, next_after: nextAfter });
      } finally {
        giveBack?.();
      }
    },
  });
}

function wantsStream({ headers }: FastifyRequest): boolean {
  return /text\/event-stream/i.test(headers.accept ?? '');
}

interface StreamCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly query: FeedQuery;
  readonly after: Position | null;
}

async function startStream(context: ApiContext, sources: FeedSources, call: StreamCall): Promise<FastifyReply> {
  const { request, reply, query } = call;
  const lastId = request.headers['last-event-id'];
  const after =
    typeof lastId === 'string' ? await checkPosition(context, lastId, { header: 'Last-Event-ID' }) : call.after;
  const giveBack = context.streams.take();
  const signal = endOfCall(reply, context.closing);
  reply.header('Content-Type', 'text/event-stream; charset=utf-8').header('Cache-Control', 'no-store');
  reply.header('X-Accel-Buffering', 'no').header('Connection', 'close').hijack();
  reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>);
  reply.raw.flushHeaders();
  streamFeed(sources, reply.raw, { after, filter: query, signal })
    .then((tooSlow) => {
      if (tooSlow) request.log.warn('an event stream was closed: its client took nothing for too long');
    })
    .catch((error) => {
      request.log.warn({ err: error }, 'an event stream ended early');
      reply.raw.destroy();
    })
    .finally(giveBack);
  return reply;
}
