import type { Pool, PoolClient } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isConnectionError, openPool } from '#runtime/postgres/pool';
import { createTestDatabase, type TestDatabase } from '#test/support/database';
import { until } from '#test/support/until';

let database: TestDatabase;
let pool: Pool;
beforeEach(async () => {
  database = await createTestDatabase();
  pool = openPool({ ...database, max: 2, name: 'under test' });
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

const setting = async (name: string, from = pool) =>
  (await from.query('SELECT current_setting($1) AS value', [name])).rows[0].value;

/** Ends every connection of the pool under test, as a restart of the server does. */
async function terminateAll(): Promise<void> {
  const { rowCount } = await database.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'holdfast under test'`,
  );
  expect(rowCount).toBeGreaterThan(0);
}

test('every connection begins with the settings the product relies on', async () => {
  expect(await setting('search_path')).toBe('"holdfast"');
  expect(await setting('TimeZone')).toBe('UTC');
  expect(await setting('default_transaction_isolation')).toBe('read committed');
  expect(await setting('application_name')).toBe('holdfast under test');
  expect(await setting('statement_timeout')).toBe('30s');
  expect(await setting('lock_timeout')).toBe('10s');
  expect(await setting('idle_in_transaction_session_timeout')).toBe('30s');
});

test('a schema may have any name', async () => {
  const schema = 'Jobs of "us" \\ them, inc';
  await pool.query(`CREATE SCHEMA "${schema.replaceAll('"', '""')}"`);
  const other = openPool({ ...database, schema, max: 1, name: 'other' });
  expect((await other.query('SELECT current_schema() AS name')).rows[0].name).toBe(schema);
  await other.end();
});

test('options in the URL are kept, and do not replace ours', async () => {
  const url = new URL(database.connectionString);
  url.searchParams.set('options', '-c work_mem=5MB -c search_path=public');
  const other = openPool({ ...database, connectionString: url.href, max: 1, name: 'other' });
  expect(await setting('work_mem', other)).toBe('5MB');
  expect(await setting('search_path', other)).toBe('"holdfast"');
  await other.end();
});

test('it lives through the end of its idle connections', async () => {
  await Promise.all([pool.query('SELECT pg_sleep(0.05)'), pool.query('SELECT pg_sleep(0.05)')]);
  await terminateAll();
  await until('the broken connections are gone', () => pool.totalCount === 0);
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
});

test('it lives through the end of a connection that is checked out', async () => {
  const client: PoolClient = await pool.connect();
  await client.query('BEGIN');
  await terminateAll();
  const error = await until('the connection has broken', () =>
    client.query('SELECT 1').then(
      () => null,
      (e) => e,
    ),
  );
  expect(isConnectionError(error)).toBe(true);
  client.release(error as Error);
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
});

test('a query that is under way when its connection ends fails as a connection error', async () => {
  const sleeping = pool.query('SELECT pg_sleep(60)').catch((error) => error);
  await until('it sleeps', async () => {
    const { rowCount } = await database.pool.query(`SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'`);
    return rowCount;
  });
  await terminateAll();
  expect(isConnectionError(await sleeping)).toBe(true);
});

test('nobody there, and a pool that is used up, are connection errors too', async () => {
  const nobody = openPool({ connectionString: 'postgres://127.0.0.1:1/x', schema: 'holdfast', max: 1, name: 'x' });
  expect(isConnectionError(await nobody.query('SELECT 1').catch((error) => error))).toBe(true);
  await nobody.end();
  const held = [await pool.connect(), await pool.connect()];
  expect(isConnectionError(await pool.connect().catch((error) => error))).toBe(true);
  for (const client of held) client.release();
});

test('what the database refuses is no connection error', async () => {
  for (const sql of ['SELECT 1 / 0', 'SELEC', 'SELECT * FROM nowhere']) {
    expect(isConnectionError(await pool.query(sql).catch((error) => error))).toBe(false);
  }
  expect(isConnectionError('ECONNRESET')).toBe(false);
});

test('a statement that takes too long is ended', async () => {
  const hasty = openPool({ ...database, max: 1, name: 'hasty', statementTimeoutMs: 50 });
  await expect(hasty.query('SELECT pg_sleep(60)')).rejects.toMatchObject({ code: '57014' });
  await hasty.end();
});
