import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '#runtime/postgres/embedded';
import { urlOfDatabase } from '#test/support/database-url';

/** One durable server with stock settings for all products, and a database of its own for each run. */
export interface Cluster {
  readonly pid: number;
  /** Everything written so far goes to disk first, so that no run pays for the one before. @returns The database's URL. */
  createDatabase(name: string): Promise<string>;
  dropDatabase(name: string): Promise<void>;
  /** Server settings that matter, by name. */
  settings(): Promise<Readonly<Record<string, string>>>;
  stop(): Promise<void>;
}

const SETTINGS = ['server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method'];
const SIZES = ['shared_buffers', 'max_wal_size', 'track_commit_timestamp'];

export async function startCluster(): Promise<Cluster> {
  const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  // As root the server runs as another user, who has to enter the folder.
  chmodSync(dataDir, 0o755);
  // Not stock, and the same for all: tells afterwards when a job's last state was committed.
  const settings = { track_commit_timestamp: 'on' };
  const postgres = await startEmbeddedPostgres({ dataDir, durable: true, settings });
  const { connectionString } = postgres;
  const administer = (sql: string) => administerAt(urlOfDatabase(connectionString, 'postgres'), sql);
  return {
    pid: Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]),
    async createDatabase(name) {
      await administer(`CREATE DATABASE ${name}`);
      await administer('CHECKPOINT');
      return urlOfDatabase(connectionString, name);
    },
    dropDatabase: async (name) => void (await administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
    async settings() {
      const names = [...SETTINGS, ...SIZES].map((name) => `'${name}'`).join(', ');
      const rows = await administer(
        `SELECT name, current_setting(name) AS setting FROM unnest(ARRAY[${names}]) AS name`,
      );
      return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
    },
    async stop() {
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function administerAt(url: string, sql: string): Promise<readonly Record<string, string>[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, string>>(sql)).rows;
  } finally {
    await client.end();
  }
}
