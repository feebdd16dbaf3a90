import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

export interface Migration {
  readonly number: number;
  /** The file's name, `0001_log.sql`. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the text, in hex. */
  readonly checksum: string;
}

const DEFAULT_DIRECTORY = new URL('../../migrations/', import.meta.url);
const FILE_NAME = /^(\d{4})_[a-z0-9_-]+\.sql$/;

/** The numbered files in their order. Numbers begin at 1 and have no holes. */
export function readMigrations(directory: URL = DEFAULT_DIRECTORY): Migration[] {
  const names = readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  return names.map((name, index) => {
    const number = Number(FILE_NAME.exec(name)?.[1]);
    if (number !== index + 1)
      throw new Error(`${name}: migrations are named 0001_<what>.sql and numbered without holes`);
    // A checkout may change line ends; that is not a change of the migration.
    const sql = readFileSync(new URL(name, directory), 'utf8').replaceAll('\r\n', '\n');
    return { number, name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
  });
}
