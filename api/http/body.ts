import type { FastifyInstance } from 'fastify';
import { parseJsonBody } from '../json/body.ts';
import { ApiProblem } from '../problems/problem.ts';

/** JSON in UTF-8 is the only kind of body there is. */
export function registerBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      refuseOtherCharsets(request.headers['content-type'] ?? '');
      done(null, parseJsonBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

function refuseOtherCharsets(contentType: string): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return;
  throw new ApiProblem('unsupported-media-type', 'JSON is sent in UTF-8.', {
    errors: [{ header: 'Content-Type', detail: 'must not name a charset other than utf-8' }],
  });
}
