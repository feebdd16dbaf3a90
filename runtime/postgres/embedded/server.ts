import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import { isAlive, type Postmaster, removeStalePidFile, runningPostmaster } from './postmaster.ts';
import type { ServerUser } from './server-user.ts';

export interface ServerPlan {
  readonly cluster: string;
  /** Folder of the server's log file, `postgres.log`. */
  readonly dataDir: string;
  readonly binaries: Binaries;
  readonly user: ServerUser | null;
  readonly settings: Readonly<Record<string, string>>;
}

/** Recovery after a crash may take a while; nothing can be done but wait. */
const READY_WITHIN_MS = 120_000;
const FAST_SHUTDOWN_MS = 20_000;
const POLL_MS = 20;
const LOG_LIMIT_BYTES = 10 * 1024 * 1024;

/**
 * Starts the server and waits until it answers; `null` when it ended before, because another process started one on the
 * same cluster or took its port, for instance.
 */
export async function startServer(plan: ServerPlan): Promise<Postmaster | null> {
  removeStalePidFile(plan.cluster);
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(await freePort()),
    // No socket file: its path may be at most 107 bytes long, and a data directory may lie deeper than that.
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    ...plan.settings,
  };
  const log = openLog(plan.dataDir);
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // In a session of its own: Ctrl-C in a terminal must not stop the database before its users are done. Its output goes
  // to a file, never to ours: whoever waits for the end of our output would wait until the database ends.
  const child = spawn(plan.binaries.postgres, ['-D', plan.cluster, ...options], {
    detached: true,
    stdio: ['ignore', log, log],
    cwd: '/',
    env: { PATH: process.env.PATH, LANG: 'C', TZ: 'UTC' },
    ...plan.user,
  });
  closeSync(log);
  child.unref();
  let failure: Error | undefined;
  child.once('error', (error) => {
    failure = error;
  });
  const hasEnded = () => failure !== undefined || child.exitCode !== null || child.signalCode !== null;
  const postmaster = await waitUntilReady(plan.cluster, hasEnded);
  if (failure) throw failure;
  return postmaster?.pid === child.pid ? postmaster : null;
}

/** Waits for a server that is starting or recovering; `null` when it ended instead. */
export async function waitUntilReady(cluster: string, hasEnded?: () => boolean): Promise<Postmaster | null> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (performance.now() < deadline) {
    const postmaster = runningPostmaster(cluster);
    if (postmaster?.isReady) return postmaster;
    if (hasEnded ? hasEnded() : postmaster === null) return null;
    await delay(POLL_MS);
  }
  return null;
}

/** Rolls back what runs, writes everything out and ends (PostgreSQL's "fast" shutdown). */
export async function stopServer(cluster: string): Promise<void> {
  const postmaster = runningPostmaster(cluster);
  if (postmaster === null) return;
  process.kill(postmaster.pid, 'SIGINT');
  if (await isGone(postmaster.pid, FAST_SHUTDOWN_MS)) return;
  process.kill(postmaster.pid, 'SIGQUIT');
  await isGone(postmaster.pid, FAST_SHUTDOWN_MS);
}

/** The end of the server's log, for an error message. */
export function logTail(dataDir: string): string {
  return readFileSync(join(dataDir, 'postgres.log'), 'utf8').trimEnd().split('\n').slice(-10).join('\n');
}

async function isGone(pid: number, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (isAlive(pid)) {
    if (performance.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

function openLog(dataDir: string): number {
  const path = join(dataDir, 'postgres.log');
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_LIMIT_BYTES) renameSync(path, `${path}.old`);
  return openSync(path, 'a', 0o600);
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port on 127.0.0.1');
  return address.port;
}
