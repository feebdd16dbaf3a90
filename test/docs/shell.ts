import { spawn } from 'node:child_process';
import { ROOT, withoutOurs } from '../bin/server-process.ts';

export interface ShellResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script as somebody would who copies it into a terminal in the clone; any command that fails ends it. */
export async function shell(script: string, env: Readonly<Record<string, string>>): Promise<ShellResult> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: ROOT,
    env: { ...withoutOurs(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    written.stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    written.stderr += chunk.toString();
  });
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.on('close', resolve);
  return { exitCode: await promise, ...written };
}
