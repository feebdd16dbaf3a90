import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { boolArray, int2Array, int4Array, int8Array, jsonArray, textArray, uuidArray } from '#runtime/postgres/arrays';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function arrived(type: string, array: Buffer): Promise<unknown> {
  const { rows } = await database.pool.query(`SELECT to_json($1::${type}[]) AS value`, [array]);
  return rows[0].value;
}

const storable = fc
  .string({ unit: 'binary', maxLength: 20 })
  .filter((text) => !text.includes('\u0000') && text.isWellFormed());

it('text arrays arrive as they were, whatever is in them', async () => {
  const texts = fc.oneof(storable, fc.constantFrom('NULL', '', '{', '}', ',', '"', '\\', 'ü', '\n', '😀', null));
  await fc.assert(
    fc.asyncProperty(fc.array(texts), async (values) => {
      expect(await arrived('text', textArray(values))).toEqual(values);
    }),
    { numRuns: 200 },
  );
});

it('arrays of JSON documents arrive as they were', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue({ stringUnit: 'grapheme' })), async (values) => {
      const texts = values.map((value) => JSON.stringify(value));
      const { rows } = await database.pool.query('SELECT $1::json[]::text[] AS value', [jsonArray(texts)]);
      expect(rows[0].value).toEqual(texts);
    }),
    { numRuns: 100 },
  );
});

it('numbers arrive whole up to the ends of their types', async () => {
  expect(await arrived('int2', int2Array([0, -1, 32_767, -32_768, null]))).toEqual([0, -1, 32_767, -32_768, null]);
  const ints = [0, -1, 2 ** 31 - 1, -(2 ** 31), null];
  expect(await arrived('int4', int4Array(ints))).toEqual(ints);
  const longs = [
    0,
    -1,
    2 ** 32,
    -(2 ** 32),
    253_402_300_799_999,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
    null,
  ];
  expect(await arrived('int8', int8Array(longs))).toEqual(longs);
});

it('booleans, UUIDs and empty arrays arrive', async () => {
  expect(await arrived('bool', boolArray([true, false, null]))).toEqual([true, false, null]);
  const ids = [randomUUID(), '00000000-0000-0000-0000-000000000000', null];
  expect(await arrived('uuid', uuidArray(ids))).toEqual(ids);
  expect(await arrived('uuid', uuidArray([]))).toEqual([]);
  expect(await arrived('text', textArray([]))).toEqual([]);
});

it('a number that its type does not hold, or a text that is no UUID, is refused here', () => {
  expect(() => int4Array([2 ** 31])).toThrow(RangeError);
  expect(() => int2Array([40_000])).toThrow(RangeError);
  expect(() => uuidArray(['not-a-uuid'])).toThrow(/not a UUID/);
  expect(() => uuidArray(['0000'])).toThrow(/not a UUID/);
});
