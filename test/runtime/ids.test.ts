import { expect, test } from 'vitest';
import { newId } from '#runtime/ids';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const millisecondOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

test('an id is a UUIDv7 that begins with the time it was made at', () => {
  const now = Date.UTC(2090, 0, 1);
  const id = newId(now);
  expect(id).toMatch(UUID_V7);
  expect(millisecondOf(id)).toBe(now);
});

test('ids of one process rise, within a millisecond, when the clock goes back, and past the counter', () => {
  const start = Date.UTC(2091, 0, 1);
  const times = [start, start + 1, start + 1, start - 60_000, ...Array(10_000).fill(start + 2), start + 3];
  const ids = times.map((time) => newId(time));
  expect(ids.every((id) => UUID_V7.test(id))).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual([...ids].sort());
});
