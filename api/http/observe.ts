import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Metrics } from '#runtime/metrics';

/** Times answers by route pattern; all that met no route share one label, so nobody can make time series at will. */
export function observeRequests(app: FastifyInstance, { httpDuration }: Pick<Metrics, 'httpDuration'>): void {
  app.addHook('onResponse', (request, reply, done) => {
    if (!isEventStream(reply)) {
      const matched = !request.is404;
      const route = matched ? (request.routeOptions.url ?? 'unmatched') : 'unmatched';
      const method = matched ? request.method : 'any';
      httpDuration.observe({ route, method, status: String(reply.statusCode) }, reply.elapsedTime / 1000);
    }
    done();
  });
}

function isEventStream(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-type')).startsWith('text/event-stream');
}
