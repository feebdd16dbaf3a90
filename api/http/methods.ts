import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiProblem } from '../problems/problem.ts';

/**
 * Watches which routes are registered, so that a request that meets none can be told whether the path is unknown or only
 * the method.
 */
export function watchMethods(app: FastifyInstance): (request: FastifyRequest) => ApiProblem {
  const methods = new Map<string, { path: RegExp; allowed: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    const route = methods.get(url) ?? { path: pathPattern(url), allowed: new Set<string>() };
    for (const name of [method].flat()) route.allowed.add(name);
    methods.set(url, route);
  });
  return (request) => {
    const path = request.url.split('?', 1)[0] as string;
    const allowed = [...methods.values()]
      .filter((route) => route.path.test(path))
      .flatMap((route) => [...route.allowed]);
    if (allowed.length === 0) return new ApiProblem('not-found', 'There is no such path. See /docs.');
    const allow = [...new Set(allowed)].sort().join(', ');
    return new ApiProblem('method-not-allowed', `This path takes ${allow}.`, { headers: { Allow: allow } });
  };
}

function pathPattern(url: string): RegExp {
  const pattern = url
    .split(/(:[a-zA-Z]+)/)
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll('.', '\\.')));
  return new RegExp(`^${pattern.join('')}$`);
}
