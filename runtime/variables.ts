import { readFileSync } from 'node:fs';

/**
 * The values of the named variables. Each may come from a file instead, named by `<variable>_FILE` (how secrets are
 * mounted); one line end at its end is not part of the value. An empty variable counts as unset.
 */
export function readVariables(
  env: Record<string, string | undefined>,
  names: readonly string[],
): { values: Record<string, string>; problems: string[] } {
  const values: Record<string, string> = {};
  const problems: string[] = [];
  for (const name of names) {
    const file = env[`${name}_FILE`];
    if (file && env[name]) {
      problems.push(`${name}: set it or ${name}_FILE, not both`);
    } else if (file) {
      try {
        values[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
      } catch (error) {
        problems.push(`${name}_FILE: the file cannot be read (${(error as NodeJS.ErrnoException).code})`);
      }
    } else if (env[name]) {
      values[name] = env[name];
    }
  }
  return { values, problems };
}
