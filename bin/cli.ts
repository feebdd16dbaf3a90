import { EXIT } from './cli/exit-codes.ts';
import { describeFailure } from './cli/failures.ts';
import { createProgram } from './cli/program.ts';
import type { Terminal } from './cli/terminal.ts';

/** Runs the command line of this process and sets its exit status. */
export async function run(argv: readonly string[]): Promise<void> {
  const { stdin, stdout, stderr, env } = process;
  stdout.on('error', leaveWhenNobodyReads);
  process.exitCode = await runIn({ stdin, stdout, stderr, env }, argv);
}

/** Runs a command line in any terminal. @returns The exit code. */
export async function runIn(terminal: Terminal, argv: readonly string[]): Promise<number> {
  try {
    await createProgram(terminal).parseAsync(argv);
    return EXIT.ok;
  } catch (error) {
    const { exitCode, lines } = describeFailure(error);
    for (const line of lines) terminal.stderr.write(`holdfast: ${line}\n`);
    return exitCode;
  }
}

/** `holdfast jobs list | head` has seen enough; that is no failure. */
function leaveWhenNobodyReads(error: NodeJS.ErrnoException): void {
  process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed);
}
