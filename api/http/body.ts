import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { JsonValue } from '#domain/json/value';
import { parseJsonBody } from '../json/body.ts';
import { ApiProblem } from '../problems/problem.ts';

/**
 * JSON in UTF-8 is the only kind of body there is. Bytes are taken as they come and read with the rest of the request, so
 * that one answer names all that is wrong.
 */
export function registerBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/** The body as it was sent; an empty object without one, since a body may be missing where all its fields are optional. */
export function readSentBody({ body, headers }: FastifyRequest): JsonValue {
  if (!Buffer.isBuffer(body)) return {};
  refuseOtherCharsets(headers['content-type'] ?? '');
  return parseJsonBody(body);
}

function refuseOtherCharsets(contentType: string): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return;
  throw new ApiProblem('unsupported-media-type', 'JSON is sent in UTF-8.', {
    errors: [{ header: 'Content-Type', detail: 'must not name a charset other than utf-8' }],
  });
}
