import type { FastifyInstance } from 'fastify';
import type { Metrics } from '#runtime/metrics';

/** Times answers by route pattern; all that met no route share one label, so nobody can make time series at will. */
export function observeRequests(app: FastifyInstance, { httpDuration }: Pick<Metrics, 'httpDuration'>): void {
  app.addHook('onResponse', async (request, reply) => {
    if (String(reply.getHeader('content-type')).startsWith('text/event-stream')) return;
    const matched = !request.is404;
    httpDuration.observe(
      {
        route: matched ? (request.routeOptions.url ?? 'unmatched') : 'unmatched',
        method: matched ? request.method : 'any',
        status: String(reply.statusCode),
      },
      reply.elapsedTime / 1000,
    );
  });
}
