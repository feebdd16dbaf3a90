import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../bin/server-process.ts';

const pages = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

test.each(pages)('every link of %s leads to a file, and to a heading of it', (page) => {
  const broken = linksOf(page).filter((link) => !leadsSomewhere(page, link));
  expect(broken).toEqual([]);
});

test('the promise is in the README, word for word, and never more than that', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8').replaceAll(/\s+/g, ' ');
  expect(readme).toContain(
    'at-least-once delivery; at most one accepted outcome per claim; a fencing token with every attempt, for effects in ' +
      'systems that can check it; everything recorded is provable from the log.',
  );
  for (const page of pages) expect(readFileSync(join(ROOT, page), 'utf8')).not.toMatch(/exactly[ -]once/i);
});

function linksOf(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link]) => (/^https?:/.test(link!) ? [] : [link!]));
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', heading] = link.split('#');
  const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path);
  if (!existsSync(file)) return false;
  return heading === undefined || headingsOf(file).includes(heading);
}

/** As GitHub makes anchors of headings. */
function headingsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
