import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '#test/support/until';

export interface Redis {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const PROGRAM = 'redis-server';

/** `null` when the machine has none. */
export function redisVersion(): string | null {
  const { status, stdout } = spawnSync(PROGRAM, ['--version'], { encoding: 'utf8' });
  return status === 0 ? (/v=(\S+)/.exec(stdout)?.[1] ?? 'unknown') : null;
}

/** Debian's package, where that is possible. @returns Whether the machine has Redis now. */
export function installRedis(): boolean {
  if (redisVersion() !== null) return true;
  if (process.getuid?.() !== 0) return false;
  process.stderr.write('Installing redis-server for BullMQ (apt-get) ...\n');
  spawnSync('apt-get', ['install', '-y', '-qq', PROGRAM], { stdio: ['ignore', 2, 2] });
  return redisVersion() !== null;
}

/** A new server with an append-only file, on loopback. */
export async function startRedis(appendfsync: 'always' | 'everysec'): Promise<Redis> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-redis-'));
  const port = await freePort();
  const listen = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
  const durable = ['--appendonly', 'yes', '--appendfsync', appendfsync, '--save', ''];
  const child = spawn(PROGRAM, [...listen, ...durable], { stdio: 'ignore', detached: true });
  await until('Redis answers', () => answers(port));
  return { url: `redis://127.0.0.1:${port}`, pid: child.pid ?? 0, stop: () => stop(child, folder) };
}

async function stop(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  rmSync(folder, { recursive: true, force: true });
}

function answers(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ port, host: '127.0.0.1' }, () => resolve(true));
  socket.on('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  if (address === null || typeof address === 'string') throw new Error('no free port on 127.0.0.1');
  return address.port;
}
