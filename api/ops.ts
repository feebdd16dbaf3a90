import fastify, { type FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { ApiOptions } from './app.ts';
import { healthRoutes } from './routes/health.ts';

/** Health and metrics alone, for a process without the API. Not yet listening. */
export function createOps(options: Pick<ApiOptions, 'checks' | 'metrics' | 'version'>): FastifyInstance {
  const app = fastify({ forceCloseConnections: true });
  const closing = new AbortController();
  app.addHook('preClose', async () => closing.abort());
  app.setSerializerCompiler(() => JSON.stringify);
  const version = () => options.version;
  healthRoutes(app.withTypeProvider<ZodTypeProvider>(), { ...options, version, closing: closing.signal });
  return app;
}
