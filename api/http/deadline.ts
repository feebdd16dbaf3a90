import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { unavailable } from '../problems/from-error.ts';

/** The log gives up after about as long; this is for whatever does not. */
const ANSWER_WITHIN_MS = 12_000;

/** Lets no call hang: a handler that is not done in time answers 503, whatever it waits for. */
export function boundHandler(route: RouteOptions): void {
  const { handler } = route;
  route.handler = async function bounded(request: FastifyRequest, reply: FastifyReply) {
    const late = Promise.withResolvers<never>();
    const limitMs = ANSWER_WITHIN_MS + waitSeconds(request) * 1000;
    const timer = setTimeout(() => late.reject(unavailable('The answer took too long. Repeat the call.')), limitMs);
    try {
      return await Promise.race([handler.call(this, request, reply), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** How long the client asked to wait for something to happen. */
function waitSeconds({ query, body }: FastifyRequest): number {
  const { wait } = (query ?? {}) as { wait?: unknown };
  const { wait_seconds } = (body ?? {}) as { wait_seconds?: unknown };
  return [wait, wait_seconds].reduce<number>((sum, value) => sum + (typeof value === 'number' ? value : 0), 0);
}
