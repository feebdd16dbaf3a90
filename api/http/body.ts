import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type JsonBody, parseJsonBody } from '../json/body.ts';
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
export function readSentBody({ body, headers }: FastifyRequest, mostProblems?: number): JsonBody {
  if (!Buffer.isBuffer(body)) return { value: {}, problems: [] };
  refuseOtherCharsets(headers['content-type'] ?? '');
  refuseEncodings(headers['content-encoding']);
  return parseJsonBody(body, mostProblems);
}

function refuseEncodings(encoding: string | undefined): void {
  if (encoding === undefined || /^identity$/i.test(encoding)) return;
  throw new ApiProblem('unsupported-media-type', 'Bodies are sent as they are, not compressed.', {
    errors: [{ header: 'Content-Encoding', detail: 'must be identity, or left out' }],
  });
}

function refuseOtherCharsets(contentType: string): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return;
  throw new ApiProblem('unsupported-media-type', 'JSON is sent in UTF-8.', {
    errors: [{ header: 'Content-Type', detail: 'must not name a charset other than utf-8' }],
  });
}
