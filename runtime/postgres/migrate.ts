import { Client, type ClientBase, type Pool } from 'pg';
import { type Migration, readMigrations } from './migration-files.ts';
import { quoteIdentifier, sessionConfig } from './session.ts';

export interface MigrateOptions {
  /** Where the numbered files lie. Default: the `migrations/` of this version. */
  readonly directory?: URL;
}

const OLDEST_POSTGRES = 150_000;

/**
 * Brings a schema up to this version: forward only, each file once and in a transaction of its own. Several may be
 * started at once; each file is applied by exactly one of them and the others find it done.
 *
 * The lock is taken inside each file's transaction, not for the session: a session lock would be lost, or stay with
 * somebody else, behind a transaction-mode pooler.
 * @returns the names of the files that this call applied.
 * @throws MigrationRefused when PostgreSQL is too old, an applied file has changed, or the schema is newer than the code.
 */
export async function migrate(
  connection: { connectionString: string; schema: string },
  options: MigrateOptions = {},
): Promise<{ applied: string[] }> {
  const migrations = readMigrations(options.directory);
  const client = new Client(sessionConfig({ ...connection, name: 'migrate', statementTimeoutMs: 0 }));
  client.on('error', () => undefined);
  await client.connect();
  try {
    await requirePostgres(client);
    await underLock(client, connection.schema, () => createTable(client, connection.schema));
    const applied: string[] = [];
    for (const migration of migrations) {
      const isNew = await underLock(client, connection.schema, () => apply(client, migration, migrations));
      if (isNew) applied.push(migration.name);
    }
    return { applied };
  } finally {
    await client.end();
  }
}

/** The number of the last migration applied to the pool's schema, and that of the last one this version has. */
export async function schemaState(
  pool: Pool,
  options: MigrateOptions = {},
): Promise<{ current: number; latest: number }> {
  const latest = readMigrations(options.directory).at(-1)?.number ?? 0;
  const exists = await pool.query<{ found: boolean }>(`SELECT to_regclass('migrations') IS NOT NULL AS found`);
  if (!exists.rows[0]?.found) return { current: 0, latest };
  const last = await pool.query<{ number: number }>('SELECT coalesce(max(number), 0) AS number FROM migrations');
  return { current: last.rows[0]?.number ?? 0, latest };
}

/**
 * @throws SchemaBehind when migrations are missing.
 * @throws MigrationRefused when the schema is newer than the code.
 */
export async function requireCurrentSchema(pool: Pool, options: MigrateOptions = {}): Promise<void> {
  const { current, latest } = await schemaState(pool, options);
  if (current < latest) throw new SchemaBehind(current, latest);
  if (current > latest) throw tooNew(current, latest);
}

export class SchemaBehind extends Error {
  override readonly name = 'SchemaBehind';
  constructor(current: number, latest: number) {
    super(`The database is at migration ${current}, this version needs ${latest}. Run: holdfast migrate`);
  }
}

export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused';
}

async function requirePostgres(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ number: number; text: string }>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS text`,
  );
  const [version] = rows;
  if (version === undefined || version.number >= OLDEST_POSTGRES) return;
  throw new MigrationRefused(`Holdfast needs PostgreSQL 15 or later; this server is ${version.text}`);
}

async function underLock<T>(client: ClientBase, schema: string, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    // Whoever waits here waits for as long as a migration takes.
    await client.query('SET LOCAL lock_timeout = 0');
    await client.query(`SELECT set_config('search_path', $1, true)`, [quoteIdentifier(schema)]);
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`holdfast migrate ${schema}`]);
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function createTable(client: ClientBase, schema: string): Promise<void> {
  // CREATE SCHEMA IF NOT EXISTS asks for the right to create one even where it exists.
  const { rowCount } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  if (rowCount === 0) await client.query(`CREATE SCHEMA ${quoteIdentifier(schema)}`);
  await client.query(`CREATE TABLE IF NOT EXISTS migrations (
    number int PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
}

/** Whether the file had not been applied yet. */
async function apply(client: ClientBase, migration: Migration, all: readonly Migration[]): Promise<boolean> {
  const { rows } = await client.query<{ number: number; name: string; checksum: string }>(
    'SELECT number, name, checksum FROM migrations ORDER BY number',
  );
  const latest = all.at(-1)?.number ?? 0;
  const current = rows.at(-1)?.number ?? 0;
  if (current > latest) throw tooNew(current, latest);
  const done = rows.find((row) => row.number === migration.number);
  if (done === undefined) {
    await client.query(migration.sql);
    await client.query('INSERT INTO migrations (number, name, checksum) VALUES ($1, $2, $3)', [
      migration.number,
      migration.name,
      migration.checksum,
    ]);
    return true;
  }
  if (done.name === migration.name && done.checksum === migration.checksum) return false;
  throw new MigrationRefused(
    `Migration ${migration.name} differs from what was applied as ${done.name}. Applied files never change; restore it`,
  );
}

function tooNew(current: number, latest: number): MigrationRefused {
  return new MigrationRefused(
    `The database is at migration ${current}, this version knows ${latest} at most. Use the newer version of Holdfast`,
  );
}
