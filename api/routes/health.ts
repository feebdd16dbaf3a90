import { z } from 'zod';
import type { Metrics } from '#runtime/metrics';
import { isConnectionError } from '#runtime/postgres/pool';
import type { App } from '../http/app-type.ts';
import type { ReadinessCheck, VersionInfo } from '../ports.ts';
import { answers } from '../schemas/problem.ts';

const CHECK_WITHIN_MS = 2000;

const readiness = z
  .object({
    status: z.enum(['ready', 'not-ready']),
    checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string().nullable() })),
  })
  .meta({ examples: [{ status: 'ready', checks: [{ name: 'postgres', ok: true, detail: null }] }] });

const version = z.object({ version: z.string(), node: z.string(), schema: z.int(), log: z.string() });

interface HealthSources {
  readonly checks: readonly ReadinessCheck[];
  readonly closing: AbortSignal;
  readonly metrics: Pick<Metrics, 'render' | 'contentType'>;
  version(): VersionInfo;
}

export function healthRoutes(app: App, sources: HealthSources): void {
  const tags = ['health'];
  app.route({
    method: 'GET',
    url: '/healthz',
    schema: {
      operationId: 'getHealth',
      tags,
      summary: 'The process lives; asks nothing else',
      response: answers({ 200: z.object({ status: z.literal('ok') }) }),
    },
    handler: async () => ({ status: 'ok' }),
  });
  app.route({
    method: 'GET',
    url: '/readyz',
    schema: {
      operationId: 'getReadiness',
      tags,
      summary: 'Whether it can serve, dependency by dependency',
      response: answers({ 200: readiness, 503: readiness }),
    },
    async handler(_request, reply) {
      const checks = await Promise.all([...sources.checks, running(sources.closing)].map(runCheck));
      const ready = checks.every(({ ok }) => ok);
      if (!ready) reply.header('Retry-After', '1');
      return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not-ready', checks });
    },
  });
  app.route({
    method: 'GET',
    url: '/version',
    schema: { operationId: 'getVersion', tags, summary: 'What runs here', response: answers({ 200: version }) },
    handler: async () => sources.version(),
  });
  app.route({
    method: 'GET',
    url: '/metrics',
    schema: {
      operationId: 'getMetrics',
      tags,
      summary: 'Prometheus metrics of this process',
      response: answers({}),
    },
    async handler(_request, reply) {
      return reply.type(sources.metrics.contentType).send(await sources.metrics.render());
    },
  });
}

function running(closing: AbortSignal): ReadinessCheck {
  return {
    name: 'server',
    async check() {
      if (closing.aborted) throw new Error('is shutting down');
    },
  };
}

async function runCheck(dependency: ReadinessCheck): Promise<z.output<typeof readiness>['checks'][number]> {
  const { name } = dependency;
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => limit.reject(new Error(`did not answer within ${CHECK_WITHIN_MS} ms`)),
    CHECK_WITHIN_MS,
  );
  try {
    await Promise.race([dependency.check(), limit.promise]);
    return { name, ok: true, detail: null };
  } catch (error) {
    return { name, ok: false, detail: reasonOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** Anybody may ask, so addresses in a driver's words are left out. */
function reasonOf(error: unknown): string {
  if (isConnectionError(error)) return 'cannot be reached';
  return error instanceof Error ? error.message : 'failed';
}
