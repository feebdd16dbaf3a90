import { CommanderError } from 'commander';
import { HoldfastApiError, HoldfastUnreachable } from '#client/errors';
import { ConfigError } from '#runtime/config';
import { MigrationRefused, SchemaBehind } from '#runtime/postgres/migrate';
import { isConnectionError } from '#runtime/postgres/pool';
import { CommandFailure } from './command-failure.ts';
import { EXIT, type ExitCode, exitCodeOfStatus } from './exit-codes.ts';
import { printable } from './printable.ts';

/** What a failed command says on stderr, line by line, and the status it ends with. */
export interface Failure {
  readonly exitCode: ExitCode;
  readonly lines: readonly string[];
}

/** Puts whatever a command threw into words. Nothing of a secret is in them: errors that could hold one are cleaned. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof CommanderError) return usage(error);
  if (error instanceof CommandFailure) return { exitCode: error.exitCode, lines: [error.message] };
  if (error instanceof ConfigError) return { exitCode: EXIT.usage, lines: error.problems };
  if (error instanceof HoldfastApiError) return refusal(error);
  if (error instanceof HoldfastUnreachable) {
    return { exitCode: EXIT.unavailable, lines: [error.message, 'Is it running? Start it with: npm start'] };
  }
  if (error instanceof SchemaBehind || error instanceof MigrationRefused) {
    return { exitCode: EXIT.conflict, lines: [error.message] };
  }
  if (isConnectionError(error)) {
    return { exitCode: EXIT.unavailable, lines: [`The database cannot be reached: ${withoutPassword(text(error))}`] };
  }
  return { exitCode: EXIT.failed, lines: [withoutPassword(text(error))] };
}

/** Commander has printed its message, or the help that was asked for. */
function usage(error: CommanderError): Failure {
  return { exitCode: error.exitCode === 0 ? EXIT.ok : EXIT.usage, lines: [] };
}

function refusal(error: HoldfastApiError): Failure {
  const { problem } = error;
  const fields = (problem.errors ?? []).map((wrong) => {
    const place = wrong.pointer ?? wrong.parameter ?? wrong.header ?? '';
    return `  ${printable(place)} ${printable(wrong.detail)}`;
  });
  const detail = problem.detail ? `: ${printable(problem.detail)}` : '';
  const request = error.requestId === null ? '' : `, request ${printable(error.requestId)}`;
  return {
    exitCode: exitCodeOfStatus(error.status),
    lines: [`${printable(problem.title)}${detail} (${printable(error.code)}${request})`, ...fields],
  };
}

function text(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.message === '') return error.errors.map(text).join('; ');
  return error.message || error.name;
}

function withoutPassword(line: string): string {
  return line.replaceAll(/(\/\/[^:/@\s]*):[^@\s]*@/g, '$1:***@');
}
