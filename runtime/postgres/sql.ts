import { readFileSync } from 'node:fs';

/**
 * The text of a `.sql` file that lies beside a module.
 * @param url the module's `import.meta.url`
 */
export function loadSql(url: string, file: string): string {
  return readFileSync(new URL(file, url), 'utf8');
}
