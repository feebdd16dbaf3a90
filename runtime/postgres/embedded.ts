import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import type { Logger } from '../logger.ts';
import { type Binaries, findBinaries } from './embedded/binaries.ts';
import { createCluster, findCluster, readPassword } from './embedded/cluster.ts';
import { type Postmaster, runningPostmaster } from './embedded/postmaster.ts';
import { logTail, type ServerPlan, startServer, stopServer, waitUntilReady } from './embedded/server.ts';
import { serverUser } from './embedded/server-user.ts';

export interface EmbeddedOptions {
  /** Absolute path; made when missing. The cluster lies in `postgres/` below it. */
  readonly dataDir: string;
  readonly logger?: Logger;
  /** False trades every guarantee for speed (no fsync). For tests. Default true: PostgreSQL's own defaults. */
  readonly durable?: boolean;
  /** Further server settings, by their PostgreSQL names. They have no effect on an adopted server. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface EmbeddedPostgres {
  /** Of the database `holdfast`, as superuser. Holds the password. */
  readonly connectionString: string;
  /** The server ran already: another process uses it, or one that was killed left it behind. */
  readonly adopted: boolean;
  /**
   * Stops the server, unless another Holdfast process is connected to it: the last one to leave stops it. Close your own
   * pools first.
   */
  stop(): Promise<void>;
}

const DATABASE = 'holdfast';
const ATTEMPTS = 5;
const NOT_DURABLE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/**
 * A PostgreSQL server of our own on a data directory: starts it, or adopts the one that runs there. Safe to call from
 * several processes at once, for one directory or for many.
 * @throws with the end of the server's log when it cannot be started.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, logger } = options;
  const durable = options.durable ?? true;
  const existing = findCluster(dataDir);
  const user = serverUser(existing);
  const binaries = findBinaries(user);
  const cluster = existing ?? (await createCluster({ dataDir, binaries, user, durable }));
  requireSameMajor(cluster, binaries);
  const settings = { ...(durable ? {} : NOT_DURABLE), ...options.settings };
  const { postmaster, adopted } = await adoptOrStart({ cluster, dataDir, binaries, user, settings });
  logger?.info({ port: postmaster.port, pid: postmaster.pid, adopted }, 'embedded PostgreSQL is running');
  await createDatabase(connectionString(cluster, postmaster, 'postgres'));
  return {
    connectionString: connectionString(cluster, postmaster, DATABASE),
    adopted,
    stop: async () => {
      const running = runningPostmaster(cluster);
      if (running !== null && (await hasOtherUsers(connectionString(cluster, running, DATABASE)))) {
        logger?.info('embedded PostgreSQL goes on: another Holdfast process uses it');
      } else {
        await stopServer(cluster);
      }
    },
  };
}

/** The server that runs on a data directory, if one does. Starts nothing. */
export async function findEmbeddedPostgres(dataDir: string): Promise<{ connectionString: string } | null> {
  const cluster = findCluster(dataDir);
  if (cluster === null || runningPostmaster(cluster) === null) return null;
  const postmaster = await waitUntilReady(cluster);
  return postmaster && { connectionString: connectionString(cluster, postmaster, DATABASE) };
}

async function adoptOrStart(plan: ServerPlan): Promise<{ postmaster: Postmaster; adopted: boolean }> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    // After a crash the last of the server's processes may hold its memory for a moment longer.
    await delay(attempt * 200);
    const adopted = runningPostmaster(plan.cluster) !== null;
    const postmaster = adopted ? await waitUntilReady(plan.cluster) : await startServer(plan);
    if (postmaster !== null) return { postmaster, adopted };
  }
  throw new Error(`The embedded PostgreSQL in ${plan.dataDir} did not start:\n${logTail(plan.dataDir)}`);
}

function requireSameMajor(cluster: string, { major }: Binaries): void {
  const version = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  if (version === major) return;
  throw new Error(
    `${cluster} was made by PostgreSQL ${version}, this version of Holdfast brings ${major}. Dump and restore it`,
  );
}

function connectionString(cluster: string, { port }: Postmaster, database: string): string {
  return `postgres://postgres:${readPassword(cluster)}@127.0.0.1:${port}/${database}`;
}

async function createDatabase(maintenanceUrl: string): Promise<void> {
  await withClient(maintenanceUrl, async (client) => {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`).catch(unlessDuplicate);
  });
}

/** Made by another process at the same moment. */
function unlessDuplicate(error: unknown): void {
  const code = error instanceof DatabaseError ? error.code : undefined;
  if (code !== '42P04' && code !== '23505') throw error;
}

async function hasOtherUsers(url: string): Promise<boolean> {
  try {
    return await withClient(url, async (client) => {
      // The server notices a moment later that a connection was closed.
      for (let attempt = 0; attempt < 10; attempt += 1) {
        const { rowCount } = await client.query(
          `SELECT FROM pg_stat_activity WHERE application_name LIKE 'holdfast %'`,
        );
        if (rowCount === 0) return false;
        await delay(50);
      }
      return true;
    });
  } catch {
    // A server that lets nobody in serves nobody.
    return false;
  }
}

async function withClient<T>(connectionString: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 5_000, query_timeout: 30_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
