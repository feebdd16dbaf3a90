import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '#runtime/postgres/transaction';
import { createTestDatabase, type TestDatabase } from '#test/support/database';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query('CREATE TABLE notes (text text NOT NULL)');
});
afterAll(() => database.drop());

const notes = async () => (await database.pool.query('SELECT text FROM notes')).rows.map((row) => row.text);

test('what the work wrote is there when it resolves', async () => {
  const answer = await inTransaction(database.pool, async (client) => {
    await client.query(`INSERT INTO notes VALUES ('kept')`);
    return 42;
  });
  expect(answer).toBe(42);
  expect(await notes()).toEqual(['kept']);
});

test('nothing is written when the work throws', async () => {
  const work = inTransaction(database.pool, async (client) => {
    await client.query(`INSERT INTO notes VALUES ('lost')`);
    throw new Error('changed my mind');
  });
  await expect(work).rejects.toThrow('changed my mind');
  expect(await notes()).toEqual(['kept']);
});

test('a swallowed error is not reported as a commit', async () => {
  const work = inTransaction(database.pool, async (client) => {
    await client.query(`INSERT INTO notes VALUES ('lost')`);
    await client.query('SELECT 1 / 0').catch(() => undefined);
  });
  await expect(work).rejects.toThrow('rolled back');
  expect(await notes()).toEqual(['kept']);
});

test('a connection that breaks is thrown away and the pool goes on', async () => {
  const work = inTransaction(database.pool, async (client) => {
    await client.query(`INSERT INTO notes VALUES ('lost')`);
    await client.query('SELECT pg_terminate_backend(pg_backend_pid())');
  });
  await expect(work).rejects.toThrow();
  expect(await notes()).toEqual(['kept']);
});
