import { readFileSync } from 'node:fs';

/** A fenced code block of a page. `info` is what stands behind the opening fence: language, then `key=value`. */
export interface Block {
  readonly language: string;
  readonly key: string;
  readonly name: string;
  readonly text: string;
}

/** All fenced blocks of a page under the repository's root. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
  return [...text.matchAll(/^```(\S+) ?(?:(\w+)=(\S+))?\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', key = '', name = '', body = '']) => ({ language, key, name, text: body }),
  );
}
