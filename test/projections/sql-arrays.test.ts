import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { jsonTextArray, plainArray, textArray } from '#projections/sql-arrays';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const storable = fc
  .string({ unit: 'binary', maxLength: 20 })
  .filter((text) => !text.includes('\u0000') && text.isWellFormed());

it('text arrays arrive as they were, whatever is in them', async () => {
  const texts = fc.oneof(
    storable,
    fc.constantFrom('NULL', 'null', '', ' ', '{', '}', ',', '"', '\\', 'a b', 'ü', '\n', '\\n', null),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(texts), async (values) => {
      const { rows } = await database.pool.query('SELECT $1::text[] AS value', [textArray(values)]);
      expect(rows[0].value).toEqual(values);
    }),
    { numRuns: 200 },
  );
});

it('arrays of JSON texts arrive as they were', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue({ noUnicodeString: false })), async (values) => {
      const texts = values.map((value) => JSON.stringify(value)).filter((text) => text.isWellFormed());
      const { rows } = await database.pool.query('SELECT $1::text[] AS value', [jsonTextArray(texts)]);
      expect(rows[0].value).toEqual(texts);
    }),
    { numRuns: 200 },
  );
});

it('plain arrays arrive as they were', async () => {
  const { rows } = await database.pool.query('SELECT $1::bigint[] AS numbers, $2::boolean[] AS flags', [
    plainArray([1, -2, 253_402_300_799_999, null]),
    plainArray([true, false]),
  ]);
  expect(rows).toEqual([{ numbers: ['1', '-2', '253402300799999', null], flags: [true, false] }]);
});
