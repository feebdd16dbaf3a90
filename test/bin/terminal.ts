import { Readable } from 'node:stream';
import { runIn } from '#bin/cli';

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process, with streams that are a terminal or a pipe. */
export async function holdfast(
  argv: readonly string[],
  options: { env?: Record<string, string>; stdin?: string; isTTY?: boolean } = {},
): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  const output = (name: 'stdout' | 'stderr') => ({
    isTTY: options.isTTY ?? false,
    write: (text: string) => {
      written[name] += text;
    },
  });
  const terminal = {
    stdin: Readable.from(options.stdin === undefined ? [] : [options.stdin]),
    stdout: output('stdout'),
    stderr: output('stderr'),
    env: options.env ?? {},
  };
  const exitCode = await runIn(terminal, ['node', 'holdfast', ...argv]);
  return { exitCode, ...written };
}
