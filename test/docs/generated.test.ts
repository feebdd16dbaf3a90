import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { GENERATED_PAGES } from '../../docs/generate/pages.ts';

describe('pages made from the code', () => {
  test.each(Object.entries(GENERATED_PAGES))('docs/%s is what `npm run docs` makes of today’s code', (name, page) => {
    expect(readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')).toBe(page());
  });

  test('every field of every event has a meaning', () => {
    const rows = GENERATED_PAGES['events.md']!()
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.filter((line) => line.endsWith('|  |'))).toEqual([]);
  });
});
