import { type Logger, pino } from 'pino';
import { type ApiOptions, createApi } from '#api/app';
import { composeCore } from '#bin/compose';
import { createReadSide } from '#bin/read-side';
import { startProjectorRole } from '#bin/roles/projector';
import { createMetrics } from '#runtime/metrics';
import { createTestDatabase } from '../support/database.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly body: any;
}

export interface RigOptions extends Partial<ApiOptions> {
  /** Another way to the test's database, such as a proxy that can be cut. */
  readonly route?: (connectionString: string) => Promise<string>;
  readonly keyWindowSeconds?: number;
  /** False: nothing fills the read tables. */
  readonly projector?: boolean;
}

/** A listening server on a database of its own, put together as an installation is. */
export async function openRig({
  route,
  keyWindowSeconds = 86_400,
  projector: projects = true,
  ...options
}: RigOptions = {}) {
  const database = await createTestDatabase();
  const logged: { level: number; msg: string; err?: { message: string } }[] = [];
  const logger: Logger = pino({ level: 'warn' }, { write: (line: string) => logged.push(JSON.parse(line)) });
  const metrics = createMetrics();
  const core = await composeCore({
    connectionString: (await route?.(database.connectionString)) ?? database.connectionString,
    schema: database.schema,
    streamPrefix: '',
    keyWindowSeconds,
    pollMs: 200,
    logger,
    metrics,
    name: 'api test',
  });
  const reads = createReadSide(core, '');
  const projector = projects ? startProjectorRole({ core, reads }, '', logger) : undefined;
  const app = createApi({
    ...core,
    reads,
    logger,
    metrics,
    checks: [{ name: 'postgres', check: async () => void (await core.tables.query('SELECT 1')) }],
    version: { version: '0.0.0-test', node: process.version, schema: 1, log: 'postgres' },
    adminKey: null,
    streamPrefix: '',
    pollMs: 200,
    ...options,
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const call = callerOf(url);
  return {
    ...core,
    app,
    url,
    call,
    logged,
    pool: database.pool,
    /** The body of an answer that has to have this status. */
    expectStatus: async (status: number, ...request: Parameters<typeof call>) => {
      const answer = await call(...request);
      if (answer.status === status) return answer;
      throw new Error(`${request[0]} ${request[1]}: ${answer.status}, not ${status}: ${JSON.stringify(answer.body)}`);
    },
    eventCount: async () => {
      const { rows } = await database.pool.query<{ count: number }>('SELECT count(*)::int AS count FROM events');
      return rows[0]?.count;
    },
    close: async () => {
      await app.close();
      await projector?.stop();
      await core.close();
      await database.drop();
    },
  };
}

export type Rig = Awaited<ReturnType<typeof openRig>>;

/** Sends a request; text is sent as it is, anything else as JSON. */
export function callerOf(url: string) {
  return async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const sent = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const response = await fetch(url + path, {
      method,
      headers: { ...(sent !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(sent !== undefined && { body: sent }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };
}
