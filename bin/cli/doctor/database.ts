import type { Pool } from 'pg';
import type { Config } from '#runtime/config';
import { findEmbeddedPostgres } from '#runtime/postgres/embedded';
import { schemaState } from '#runtime/postgres/migrate';
import { openPool } from '#runtime/postgres/pool';
import { describeFailure } from '../failures.ts';
import { type Finding, failed, fine, warning } from './check.ts';

const LARGE_OFFSET_MS = 1_000;

/** PostgreSQL, the schema in it, and its clock beside this machine's. Starts nothing. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  const url = config.databaseUrl ?? (await findEmbeddedPostgres(config.dataDir))?.connectionString;
  if (url === undefined) {
    const detail = `the embedded PostgreSQL of ${config.dataDir} does not run`;
    return [warning('postgres', detail, 'The server starts it: npm start. Or set DATABASE_URL')];
  }
  const pool = openPool({ connectionString: url, schema: config.schema, max: 1, name: 'doctor' });
  try {
    return [await checkServer(pool), await checkSchema(pool, config.schema), await checkClock(pool)];
  } catch (error) {
    return [failed('postgres', describeFailure(error).lines.join(' '), 'Check DATABASE_URL and that PostgreSQL runs')];
  } finally {
    await pool.end();
  }
}

async function checkServer(pool: Pool): Promise<Finding> {
  const { rows } = await pool.query<{ version: string; database: string }>(
    `SELECT current_setting('server_version') AS version, current_database() AS database`,
  );
  const [server] = rows;
  return fine('postgres', `${server?.version}, database ${server?.database}`);
}

async function checkSchema(pool: Pool, schema: string): Promise<Finding> {
  const { current, latest } = await schemaState(pool);
  const detail = `${schema} is at migration ${current} of ${latest}`;
  if (current < latest) return failed('schema', detail, 'Run: holdfast migrate');
  if (current > latest) return failed('schema', detail, 'The database is newer than this version; use the newer one');
  return fine('schema', detail);
}

/** Holdfast goes by the database's clock; what people read beside it is their own. */
async function checkClock(pool: Pool): Promise<Finding> {
  const sentAt = Date.now();
  const { rows } = await pool.query<{ ms: string }>('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms');
  const middle = (sentAt + Date.now()) / 2;
  const offsetMs = Math.round(Number(rows[0]?.ms) - middle);
  const detail = `the database's is ${Math.abs(offsetMs)} ms ${offsetMs < 0 ? 'behind' : 'ahead of'} this machine's`;
  if (Math.abs(offsetMs) < LARGE_OFFSET_MS) return fine('clock', detail);
  return warning('clock', detail, 'Instants are those of the database; keep the machines in time by NTP');
}
