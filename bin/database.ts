import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '#runtime/config';
import type { Logger } from '#runtime/logger';
import { startEmbeddedPostgres } from '#runtime/postgres/embedded';
import { migrate, requireCurrentSchema } from '#runtime/postgres/migrate';
import { isConnectionError, openPool } from '#runtime/postgres/pool';
import { keepRunning } from './keep-running.ts';

export interface Database {
  readonly connectionString: string;
  /** Ends the embedded server when nobody else uses it; does nothing for an external one. */
  stop(): Promise<void>;
}

type DatabaseConfig = Pick<Config, 'databaseUrl' | 'dataDir' | 'schema'>;

const LONGEST_PAUSE_MS = 5_000;

/**
 * The database of this installation, ready to work on: the embedded server is ours, so it is started and migrated; an
 * external one is somebody's, so it is waited for, and refused while its schema is behind.
 * @throws SchemaBehind naming the command that brings the schema up.
 */
export async function openDatabase(config: DatabaseConfig, logger: Logger, signal: AbortSignal): Promise<Database> {
  const { databaseUrl, dataDir, schema } = config;
  if (databaseUrl !== null) {
    await untilReachable(() => checkSchema(databaseUrl, schema), logger, signal);
    return { connectionString: databaseUrl, stop: async () => undefined };
  }
  const server = await startEmbeddedPostgres({ dataDir, logger });
  try {
    const { connectionString } = server;
    const { applied } = await migrate({ connectionString, schema });
    if (applied.length > 0) logger.info({ applied }, 'the schema was brought up to date');
    const watchNoMore = keepRunning(dataDir, connectionString, logger);
    return { connectionString, stop: () => watchNoMore().then(() => server.stop()) };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** @throws SchemaBehind, MigrationRefused, or what kept the database from being reached. */
export async function checkSchema(connectionString: string, schema: string): Promise<void> {
  const pool = openPool({ connectionString, schema, max: 1, name: 'holdfast check' });
  try {
    await requireCurrentSchema(pool);
  } finally {
    await pool.end();
  }
}

/** A process that is started while its database is away waits for it: whatever starts both need keep no order. */
async function untilReachable(attempt: () => Promise<void>, logger: Logger, signal: AbortSignal): Promise<void> {
  for (let pauseMs = 100; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isConnectionError(error) || signal.aborted) throw error;
      logger.warn({ err: error, againInMs: pauseMs }, 'the database cannot be reached yet');
      await delay(pauseMs, undefined, { signal });
    }
  }
}
