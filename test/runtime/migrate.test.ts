import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Pool } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MigrationRefused, migrate, requireCurrentSchema, SchemaBehind, schemaState } from '#runtime/postgres/migrate';
import { openPool } from '#runtime/postgres/pool';
import { createEmptyDatabase } from '#test/support/database';
import { until } from '#test/support/until';

const SCHEMA = 'my "jobs"';

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let folder: string;
let pool: Pool;
let directory: URL;

beforeEach(async () => {
  database = await createEmptyDatabase();
  pool = openPool({ connectionString: database.connectionString, schema: SCHEMA, max: 4, name: 'test' });
  folder = mkdtempSync(join(tmpdir(), 'holdfast-migrations-'));
  directory = pathToFileURL(`${folder}/`);
  write('0001_first.sql', 'CREATE TABLE first (n int); INSERT INTO first VALUES (1);');
  write('0002_second.sql', 'CREATE TABLE second (n int); INSERT INTO first VALUES (2);');
});
afterEach(async () => {
  await pool.end();
  await database.drop();
  rmSync(folder, { recursive: true });
});

function write(name: string, sql: string): void {
  writeFileSync(join(folder, name), sql);
}

const run = () => migrate({ connectionString: database.connectionString, schema: SCHEMA }, { directory });
const first = async () => (await pool.query('SELECT n FROM first ORDER BY n')).rows.map((row) => row.n);

test('files are applied in order, once, and lie in the schema alone', async () => {
  expect(await schemaState(pool, { directory })).toEqual({ current: 0, latest: 2 });
  expect(await run()).toEqual({ applied: ['0001_first.sql', '0002_second.sql'] });
  expect(await run()).toEqual({ applied: [] });
  expect(await first()).toEqual([1, 2]);
  expect(await schemaState(pool, { directory })).toEqual({ current: 2, latest: 2 });
  const { rows } = await pool.query(
    `SELECT table_schema, table_name FROM information_schema.tables
      WHERE table_schema !~ '^(pg_|information_schema)' ORDER BY table_name`,
  );
  expect(rows).toEqual(['first', 'migrations', 'second'].map((name) => ({ table_schema: SCHEMA, table_name: name })));
});

test('a later version applies only what is new', async () => {
  await run();
  write('0003_third.sql', 'INSERT INTO first VALUES (3)');
  expect(await run()).toEqual({ applied: ['0003_third.sql'] });
  expect(await first()).toEqual([1, 2, 3]);
});

test('of several that start together each file is applied by exactly one', async () => {
  const results = await Promise.all(Array.from({ length: 5 }, run));
  expect(results.flatMap(({ applied }) => applied).sort()).toEqual(['0001_first.sql', '0002_second.sql']);
  expect(await first()).toEqual([1, 2]);
});

test('a second one waits for a migration that is under way, and then finds nothing to do', async () => {
  write('0002_second.sql', 'SELECT pg_advisory_xact_lock(77); INSERT INTO first VALUES (2);');
  const gate = await pool.connect();
  await gate.query('SELECT pg_advisory_lock(77)');
  const waiting = async (count: number) => {
    const { rows } = await gate.query(
      `SELECT count(*)::int AS n FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'holdfast migrate' AND wait_event_type = 'Lock'`,
    );
    return rows[0].n === count;
  };
  const one = run();
  await until('the first is in the middle of its second file', () => waiting(1));
  const other = run();
  await until('the second waits for it', () => waiting(2));
  await gate.query('SELECT pg_advisory_unlock(77)');
  gate.release();
  const applied = (await Promise.all([one, other])).map((result) => result.applied);
  expect(applied).toEqual([['0001_first.sql', '0002_second.sql'], []]);
  expect(await first()).toEqual([1, 2]);
});

test('a file that fails leaves nothing of itself, and what came before stays', async () => {
  write('0002_second.sql', 'INSERT INTO first VALUES (2); SELECT 1 / 0;');
  await expect(run()).rejects.toThrow('division by zero');
  expect(await first()).toEqual([1]);
  expect((await schemaState(pool, { directory })).current).toBe(1);
  write('0002_second.sql', 'INSERT INTO first VALUES (22)');
  expect(await run()).toEqual({ applied: ['0002_second.sql'] });
  expect(await first()).toEqual([1, 22]);
});

test('an applied file that has changed is refused by name', async () => {
  await run();
  write('0001_first.sql', 'CREATE TABLE first (n bigint)');
  write('0003_third.sql', 'INSERT INTO first VALUES (3)');
  await expect(run()).rejects.toThrow(/0001_first\.sql differs/);
  await expect(run()).rejects.toBeInstanceOf(MigrationRefused);
  expect(await first()).toEqual([1, 2]);
});

test('other line ends are no change', async () => {
  write('0003_third.sql', 'INSERT INTO first\nVALUES (3)\n');
  await run();
  write('0003_third.sql', 'INSERT INTO first\r\nVALUES (3)\r\n');
  expect(await run()).toEqual({ applied: [] });
});

test('a database newer than the code is refused', async () => {
  write('0003_third.sql', 'SELECT 1');
  await run();
  rmSync(join(folder, '0003_third.sql'));
  await expect(run()).rejects.toThrow('newer version');
  await expect(requireCurrentSchema(pool, { directory })).rejects.toBeInstanceOf(MigrationRefused);
});

test('a schema that is behind is refused with the command that helps', async () => {
  await expect(requireCurrentSchema(pool, { directory })).rejects.toThrow('holdfast migrate');
  await run();
  await requireCurrentSchema(pool, { directory });
  write('0003_third.sql', 'SELECT 1');
  await expect(requireCurrentSchema(pool, { directory })).rejects.toBeInstanceOf(SchemaBehind);
});

test('a role that may not create schemas can migrate one that was made for it', async () => {
  const url = new URL(database.connectionString);
  const role = `role_${url.pathname.slice(1)}`;
  await pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'; CREATE SCHEMA plain AUTHORIZATION ${role}`);
  url.username = role;
  url.password = 'secret';
  const { applied } = await migrate({ connectionString: url.href, schema: 'plain' }, { directory });
  expect(applied).toHaveLength(2);
  await pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
});

test('files are numbered without holes', async () => {
  write('0004_fourth.sql', 'SELECT 1');
  await expect(run()).rejects.toThrow('0004_fourth.sql');
});
