import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Commands } from '#commands/contract';
import { streamNames } from '#domain/streams';
import type { Clock } from '#runtime/clock';
import type { Logger } from '#runtime/logger';
import type { Metrics } from '#runtime/metrics';
import type { ApiContext } from './context.ts';
import { openApiRoute, registerOpenApi } from './docs/openapi.ts';
import { pageRoutes } from './docs/pages.ts';
import { registerReference } from './docs/reference.ts';
import { FeedTail } from './feed/tail.ts';
import { type Authenticate, createAuth } from './http/auth.ts';
import { registerBodyParser } from './http/body.ts';
import { refuseUnclearHeaders, refuseUnclearHost } from './http/clear-headers.ts';
import { answerClientError } from './http/client-errors.ts';
import { boundHandler } from './http/deadline.ts';
import { answerError } from './http/errors.ts';
import { watchMethods } from './http/methods.ts';
import { observeRequests } from './http/observe.ts';
import { parseQueryString } from './http/query-string.ts';
import { requestIdOf } from './http/request-id.ts';
import { RequestLog } from './http/request-log.ts';
import { registerSecurityHeaders } from './http/security-headers.ts';
import { Slots } from './http/slots.ts';
import { watchUnusedConnections } from './http/unused-connections.ts';
import { validateRequest } from './http/validate.ts';
import type { FeedLog, ReadinessCheck, Reads, VersionInfo } from './ports.ts';
import { healthRoutes } from './routes/health.ts';
import { v1Routes } from './routes/v1.ts';

export interface ApiOptions {
  readonly commands: Commands;
  readonly log: FeedLog;
  readonly reads: Reads;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'httpDuration' | 'render' | 'contentType'>;
  /** What `/readyz` asks, beside the server itself. */
  readonly checks: readonly ReadinessCheck[];
  readonly version: VersionInfo;
  /** Null: loopback only, for requests that no foreign page can have made. */
  readonly adminKey: string | null;
  readonly streamPrefix: string;
  readonly pollMs: number;
}

const MAX_WAITING_CALLS = 2000;
const MAX_EVENT_STREAMS = 200;

/**
 * The HTTP server, not yet listening. `close()` first lets whatever waits answer (long polls, lease calls, event streams),
 * then ends.
 */
export function createApi(options: ApiOptions): FastifyInstance {
  const authenticate = createAuth(options.adminKey);
  const app = createServer(options.logger, authenticate);
  const closing = new AbortController();
  const endUnusedConnections = watchUnusedConnections(app.server);
  app.addHook('preClose', async () => {
    closing.abort();
    endUnusedConnections();
  });
  // A connection that is kept for more would keep the server from ending.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing.signal.aborted) reply.header('Connection', 'close');
    done(null, payload);
  });
  const context = createContext(options, closing.signal);

  const unmatched = watchMethods(app);
  guardRequests(app, authenticate, unmatched);
  observeRequests(app, options.metrics);
  registerBodyParser(app);
  registerOpenApi(app, options.version.version);
  app.register(async (scope) => {
    const routes = scope.withTypeProvider<ZodTypeProvider>();
    v1Routes(routes, context);
    healthRoutes(routes, { ...options, version: () => options.version, closing: closing.signal });
    pageRoutes(routes);
    openApiRoute(routes);
  });
  registerReference(app);
  return app;
}

/** Limits against slow and hostile clients are in milliseconds and bytes. */
function createServer(logger: Logger, authenticate: Authenticate): FastifyInstance {
  const app = fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (parent, bindings, settings) =>
      new RequestLog(() => parent.child(bindings, settings)) as FastifyBaseLogger,
    genReqId: requestIdOf,
    requestIdHeader: false,
    bodyLimit: 1024 * 1024,
    requestTimeout: 60_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { querystringParser: parseQueryString, maxParamLength: 128 },
    // Node's own answers to what it would refuse have neither form nor Request-Id.
    http: {
      requireHostHeader: false,
      maxHeaderSize: 16 * 1024,
      headersTimeout: 15_000,
      connectionsCheckingInterval: 5_000,
    },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) =>
      void answerError(refusal(authenticate, request) ?? error, request, reply),
  });
  app.server.maxConnections = 10_000;
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.setErrorHandler(answerError);
  // Schemas are read by `validateRequest`, for all parts of a request at once; answers are made by us and only described.
  app.setValidatorCompiler(() => (value) => ({ value }));
  app.setSerializerCompiler(() => JSON.stringify);
  return app;
}

/** What Fastify refuses before its hooks run is no business of a stranger either. */
function refusal(authenticate: Authenticate, request: FastifyRequest): unknown {
  try {
    authenticate(request);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Every request, in this order: its id, the headers of every answer, who asks, whether there is such a route, its fields. */
function guardRequests(
  app: FastifyInstance,
  authenticate: Authenticate,
  unmatched: ReturnType<typeof watchMethods>,
): void {
  app.decorateRequest('actor', 'anonymous');
  app.decorateRequest('sentBody', undefined);
  app.decorateRequest('itemProblems');
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('Request-Id', request.id);
    done();
  });
  registerSecurityHeaders(app);
  app.addHook('onRequest', async (request) => {
    refuseUnclearHost(request);
    request.actor = authenticate(request);
    refuseUnclearHeaders(request);
    if (request.is404) throw unmatched(request);
  });
  app.addHook('preHandler', validateRequest);
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/v1/')) boundHandler(route);
  });
}

function createContext(options: ApiOptions, closing: AbortSignal): ApiContext {
  const { commands, log, reads, clock, logger, pollMs } = options;
  return {
    commands,
    log,
    reads,
    clock,
    names: streamNames(options.streamPrefix),
    tail: new FeedTail(log, closing, (error) => logger.warn({ err: error }, 'following the log was interrupted')),
    closing,
    waits: new Slots(MAX_WAITING_CALLS, 'waiting calls'),
    streams: new Slots(MAX_EVENT_STREAMS, 'event streams'),
    pollMs,
  };
}
