import { writeFileSync } from 'node:fs';
import { GENERATED_PAGES } from './generate/pages.ts';

// `npm run docs`: writes the pages that are made from the code. A test compares them.
for (const [name, page] of Object.entries(GENERATED_PAGES)) {
  writeFileSync(new URL(name, import.meta.url), page());
}
