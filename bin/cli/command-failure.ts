import type { ExitCode } from './exit-codes.ts';

/** A command that cannot do what was asked, in the words and with the exit code the user gets. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}
