import { Pool } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type DatabaseClock, startDatabaseClock } from '#runtime/database-clock';
import { createTestDatabase, type TestDatabase } from '#test/support/database';
import { until } from '#test/support/until';

const HOUR = 3_600_000;

let database: TestDatabase;
let pool: Pool;
let clock: DatabaseClock | undefined;

// A database whose clock can be set: its own clock_timestamp() is found before the system's.
beforeEach(async () => {
  database = await createTestDatabase();
  await database.pool.query(`
    CREATE SCHEMA set_clock;
    CREATE TABLE set_clock.shift (by interval NOT NULL);
    INSERT INTO set_clock.shift VALUES ('0');
    CREATE FUNCTION set_clock.clock_timestamp() RETURNS timestamptz
      LANGUAGE sql AS 'SELECT pg_catalog.clock_timestamp() + by FROM set_clock.shift'`);
  pool = new Pool({
    connectionString: database.connectionString,
    options: '-c search_path=set_clock,pg_catalog',
  });
});
afterEach(async () => {
  vi.useRealTimers();
  clock?.stop();
  if (!pool.ended) await pool.end();
  await database.drop();
});

const shiftDatabase = (by: string) => database.pool.query('UPDATE set_clock.shift SET by = $1', [by]);

async function databaseNow(): Promise<number> {
  const { rows } = await pool.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms');
  return Number(rows[0].ms);
}

test('it tells the time of the database, whatever the machine believes', async () => {
  await shiftDatabase('-2 days');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2001, 0, 1) });
  clock = await startDatabaseClock(pool);
  const before = await databaseNow();
  const told = clock.now();
  const after = await databaseNow();
  expect(Number.isInteger(told)).toBe(true);
  expect(told).toBeGreaterThan(before - 20);
  expect(told).toBeLessThan(after + 20);
});

test('it follows when the database clock is set forward', async () => {
  clock = await startDatabaseClock(pool, { refreshEveryMs: 20 });
  const before = clock.now();
  await shiftDatabase('1 hour');
  await until('the clock has jumped', () => clock && clock.now() - before >= HOUR);
});

test('it stands still, and does not go back, when the database clock is set back', async () => {
  clock = await startDatabaseClock(pool, { refreshEveryMs: 20 });
  await shiftDatabase('-1 hour');
  let last = clock.now();
  let still = 0;
  await until('the clock stands still', () => {
    const now = clock?.now() ?? 0;
    expect(now).toBeGreaterThanOrEqual(last);
    still = now === last ? still + 1 : 0;
    last = now;
    return still > 10;
  });
  await shiftDatabase('0');
  await until('the clock goes on', () => clock && clock.now() > last);
});

test('it goes on while the database is away', async () => {
  clock = await startDatabaseClock(pool, { refreshEveryMs: 20 });
  const before = clock.now();
  await pool.end();
  await until('half a second has passed', () => clock && clock.now() >= before + 500);
});

test('it does not start on a database that it cannot read', async () => {
  await pool.end();
  await expect(startDatabaseClock(pool)).rejects.toThrow();
});
