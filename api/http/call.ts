import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Call } from '#commands/contract';
import { traceparentOf } from './headers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks, as the key told: `key:<id>` or `anonymous`. */
    actor: string;
  }
}

export function callOf(request: FastifyRequest, actor = request.actor): Call {
  const traceparent = traceparentOf(request);
  return { actor, requestId: request.id, ...(traceparent !== undefined && { traceparent }) };
}

/** Aborts when the client goes away before it has its answer, or when the server closes. */
export function endOfCall(reply: FastifyReply, closing: AbortSignal): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return AbortSignal.any([gone.signal, closing]);
}
