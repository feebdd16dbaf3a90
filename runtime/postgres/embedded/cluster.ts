import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Binaries } from './binaries.ts';
import { canReach, type ServerUser } from './server-user.ts';

/** Where clusters lie whose data directory the server's user may not enter; the data directory then holds a link. */
const ELSEWHERE = '/var/lib/holdfast';
const PASSWORD_FILE = 'holdfast.password';

export interface ClusterPlan {
  readonly dataDir: string;
  readonly binaries: Binaries;
  readonly user: ServerUser | null;
  /** Whether the new files are forced to disk. */
  readonly durable: boolean;
}

/** The cluster's folder inside a data directory, free of links; `null` when it was never made. */
export function findCluster(dataDir: string): string | null {
  const path = join(dataDir, 'postgres');
  return existsSync(path) ? realpathSync(path) : null;
}

/** The superuser's password, made at random with the cluster. */
export function readPassword(cluster: string): string {
  return readFileSync(join(cluster, PASSWORD_FILE), 'utf8');
}

/**
 * Makes the cluster of a data directory. It is finished under another name and moved into place at once, so that neither
 * a crash nor a second process can leave or see half of one.
 */
export async function createCluster(plan: ClusterPlan): Promise<string> {
  const { dataDir, user } = plan;
  mkdirSync(dataDir, { recursive: true, mode: 0o755 });
  const isReachable = canReach(dataDir, user);
  if (!isReachable) mkdirSync(ELSEWHERE, { recursive: true, mode: 0o755 });
  const place = join(dataDir, 'postgres');
  const draft = mkdtempSync(join(isReachable ? dataDir : ELSEWHERE, 'postgres-'));
  try {
    giveTo(user, draft);
    await initialize(draft, plan);
    if (isReachable) renameSync(draft, place);
    else symlinkSync(draft, place);
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (findCluster(dataDir) === null) throw error;
  }
  return realpathSync(place);
}

async function initialize(folder: string, { binaries, user, durable }: ClusterPlan): Promise<void> {
  const password = randomBytes(24).toString('hex');
  // initdb wants its folder empty, so that the password has to wait beside it.
  const passwordFile = `${folder}.password`;
  writeFileSync(passwordFile, password, { mode: 0o600 });
  giveTo(user, passwordFile);
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const login = ['-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const args = ['-D', folder, '-E', 'UTF8', ...locale, ...login, ...(durable ? [] : ['--no-sync'])];
  try {
    await promisify(execFile)(binaries.initdb, args, { cwd: '/', ...user });
    renameSync(passwordFile, join(folder, PASSWORD_FILE));
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

function giveTo(user: ServerUser | null, ...paths: string[]): void {
  if (user === null) return;
  for (const path of paths) chownSync(path, user.uid, user.gid);
}
