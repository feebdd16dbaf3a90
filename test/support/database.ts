import { randomBytes } from 'node:crypto';
import { Client, type Pool } from 'pg';
import { inject } from 'vitest';
import { openPool } from '#runtime/postgres/pool';
import { TEMPLATE_DATABASE, urlOfDatabase } from './database-url.ts';

export interface TestDatabase {
  readonly connectionString: string;
  readonly schema: 'holdfast';
  readonly pool: Pool;
  /** Closes the pool and removes the database, whoever is still connected. */
  drop(): Promise<void>;
}

/** A database of the test's own with every migration applied: a clone of the run's template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject('postgresUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await administer(server, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE_DATABASE}`);
  const connectionString = urlOfDatabase(server, name);
  const schema = 'holdfast';
  const pool = openPool({ connectionString, schema, max: 10, name: 'test' });
  return {
    connectionString,
    schema,
    pool,
    drop: async () => {
      await pool.end();
      await administer(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** A database of the test's own with nothing in it. */
export async function createEmptyDatabase(): Promise<{ connectionString: string; drop(): Promise<void> }> {
  const server = inject('postgresUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await administer(server, `CREATE DATABASE ${name}`);
  return {
    connectionString: urlOfDatabase(server, name),
    drop: () => administer(server, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

async function administer(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
