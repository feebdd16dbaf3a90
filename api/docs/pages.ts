import { z } from 'zod';
import type { App } from '../http/app-type.ts';
import { isProblemCode } from '../problems/codes.ts';
import { ApiProblem } from '../problems/problem.ts';
import { answers } from '../schemas/problem.ts';
import { loadErrorPages } from './error-pages.ts';
import { htmlPage, PAGE_STYLE } from './html.ts';

const HTML = 'text/html; charset=utf-8';

const HOME = htmlPage(
  'Holdfast',
  `<h1>Holdfast</h1>
<p>A job scheduler whose source of truth is an event log.</p>
<ul>
<li><a href="/docs/">API reference</a>, <a href="/openapi.json">openapi.json</a></li>
<li><a href="/v1/jobs">Jobs</a>, <a href="/v1/queues">queues</a>, <a href="/v1/workers">workers</a>, <a href="/v1/projections">projections</a></li>
<li><a href="/v1/events">The event feed</a></li>
<li><a href="/readyz">Readiness</a>, <a href="/metrics">metrics</a>, <a href="/version">version</a></li>
</ul>`,
);

/** Pages for people: the front door and what each problem means. */
export function pageRoutes(app: App): void {
  const errorPages = loadErrorPages();
  app.route({
    method: 'GET',
    url: '/',
    schema: { operationId: 'getHome', tags: ['docs'], summary: 'Where things are', response: answers({}) },
    handler: (_request, reply) => reply.type(HTML).send(HOME),
  });
  app.route({
    method: 'GET',
    url: '/docs/page.css',
    schema: { hide: true },
    handler: (_request, reply) => reply.type('text/css; charset=utf-8').send(PAGE_STYLE),
  });
  app.route({
    method: 'GET',
    url: '/docs/errors/:code',
    schema: {
      operationId: 'getErrorPage',
      tags: ['docs'],
      summary: 'What a problem code means and what to do',
      params: z.object({ code: z.string() }),
      response: answers({}, ['not-found']),
    },
    handler(request, reply) {
      const { code } = request.params;
      const page = isProblemCode(code) ? errorPages.get(code) : undefined;
      if (page === undefined) throw new ApiProblem('not-found', 'There is no such problem code.');
      return reply.type(HTML).send(page);
    },
  });
}
