import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What a running server writes about itself into its cluster's folder. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly isReady: boolean;
}

/**
 * The server that runs on a cluster, if one does. A file left by one that was killed, by a machine that went down or by
 * a container that counts its processes from 1 again names a process that is gone or is something else.
 */
export function runningPostmaster(cluster: string): Postmaster | null {
  const text = readPidFile(cluster);
  if (text === null) return null;
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0 || !isPostgres(pid)) return null;
  return { pid, port: Number(lines[3] ?? 0), isReady: lines[7] === 'ready' };
}

/**
 * PostgreSQL itself replaces a stale file, but not one whose number now belongs to another process of the same user.
 */
export function removeStalePidFile(cluster: string): void {
  if (readPidFile(cluster) !== null && runningPostmaster(cluster) === null)
    rmSync(join(cluster, 'postmaster.pid'), { force: true });
}

/** Whether the process exists and is no zombie that its parent never waited for. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !/^State:\s+Z/m.test(readProc(pid, 'status') ?? '');
}

function isPostgres(pid: number): boolean {
  if (!isAlive(pid)) return false;
  // Without /proc (macOS) a living process is taken for the server, which is the safe side.
  return readProc(pid, 'cmdline')?.includes('postgres') ?? true;
}

function readPidFile(cluster: string): string | null {
  return readOrNull(join(cluster, 'postmaster.pid'));
}

function readProc(pid: number, file: string): string | null {
  return readOrNull(`/proc/${pid}/${file}`);
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
