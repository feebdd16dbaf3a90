import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Running {
  readonly url: string;
  readonly pid: number;
  /** What it printed on stdout so far, line by line. */
  readonly lines: readonly string[];
  /** Sends a signal and waits for the end. @returns The exit code, null when a signal ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts a command that serves, in the repository's root, and waits for its ready line. */
export async function startServing(
  command: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): Promise<Running> {
  const [file, ...args] = command;
  const child = spawn(file, args, {
    cwd: ROOT,
    env: { ...withoutOurs(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const errors: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  const lines: string[] = [];
  const ready = Promise.withResolvers<string>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    const [, url] = /^holdfast ready (\S+)$/.exec(line) ?? [];
    if (url !== undefined) ready.resolve(url);
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${command.join(' ')} ended early:\n${errors.join('')}`);
  });
  const url = await Promise.race([ready.promise, ended]);
  ended.catch(() => undefined);
  return { url, pid: child.pid ?? 0, lines, stop: (signal = 'SIGINT') => stop(child, signal) };
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exit = once(child, 'exit');
  child.kill(signal);
  const [code] = (await exit) as [number | null];
  return code;
}

/** The environment without what it says about another installation. */
export function withoutOurs(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('HOLDFAST_') && name !== 'DATABASE_URL'),
  );
}
