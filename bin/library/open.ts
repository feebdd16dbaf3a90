import { createLogger, type Logger } from '#runtime/logger';
import { Holdfast } from './holdfast.ts';
import { createHttpBackend } from './http-backend.ts';
import { openLocalBackend } from './local-backend.ts';

/** The scheduler in this process, on a PostgreSQL database. */
export interface DatabaseOptions {
  readonly databaseUrl: string;
  /** Holds every table. Default `holdfast`. */
  readonly schema?: string;
  /** Bring the schema up to date first. Without it an old schema is refused. */
  readonly migrate?: boolean;
  /** In front of the names of all streams. Default none. */
  readonly streamPrefix?: string;
  /** How long after its job's end an idempotency key stays taken. Default a day. */
  readonly keyWindowSeconds?: number;
  /** The longest time between two looks at the log. Default 1,000. */
  readonly pollMs?: number;
  /** How often expired leases are looked for while a worker runs. Default 1,000. */
  readonly sweepMs?: number;
  /** Default: warnings and errors, on stderr. */
  readonly logger?: Logger;
}

/** A server elsewhere. */
export interface ServerOptions {
  readonly url: string;
  readonly apiKey?: string;
  readonly logger?: Logger;
}

/**
 * Opens the scheduler in process, or the way to a server; the calls are the same.
 * @throws SchemaBehind when the database's schema is older than this version; the message names the command.
 */
export async function openHoldfast(options: DatabaseOptions | ServerOptions): Promise<Holdfast> {
  const { logger = createLogger({ level: 'warn', name: 'holdfast' }) } = options;
  if ('url' in options) {
    const { url, apiKey = null } = options;
    return new Holdfast(createHttpBackend({ url, apiKey, logger }));
  }
  if (typeof options.databaseUrl !== 'string')
    throw new TypeError('openHoldfast takes a databaseUrl, or the url of a server');
  const backend = await openLocalBackend({
    connectionString: options.databaseUrl,
    schema: options.schema ?? 'holdfast',
    streamPrefix: options.streamPrefix ?? '',
    migrate: options.migrate ?? false,
    keyWindowSeconds: options.keyWindowSeconds ?? 86_400,
    pollMs: options.pollMs ?? 1000,
    sweepMs: options.sweepMs ?? 1000,
    logger,
  });
  return new Holdfast(backend);
}
