import { styleText } from 'node:util';
import type { Command } from 'commander';
import { CommandFailure } from '../command-failure.ts';
import type { Finding } from '../doctor/check.ts';
import { checkDatabase } from '../doctor/database.ts';
import { checkEnvironment, checkNode } from '../doctor/environment.ts';
import { checkServer } from '../doctor/server.ts';
import { EXIT } from '../exit-codes.ts';
import { printable } from '../printable.ts';
import { openSession, type Session } from '../session.ts';
import { type Terminal, wantsColor } from '../terminal.ts';

const MARKS = { ok: ['✓', 'green'], warning: ['!', 'yellow'], failed: ['✗', 'red'] } as const;

export function addDoctor(program: Command, terminal: Terminal): void {
  program
    .command('doctor')
    .description('check Node, the environment, the database with its schema and clock, and the server')
    .action(async (_options, command) => await examine(openSession(command, terminal)));
}

async function examine(session: Session): Promise<void> {
  const { config, printer, warnings } = session;
  const findings = [
    checkNode(),
    ...checkEnvironment(warnings),
    ...(await checkDatabase(config)),
    ...(await checkServer(session)),
  ];
  if (printer.format === 'text') printLines(session.terminal, findings);
  else printer.list({ rows: findings, columns: [], id: (one) => one.check, whole: { checks: findings }, empty: '' });
  const broken = findings.filter((finding) => finding.verdict === 'failed').length;
  if (broken > 0) throw new CommandFailure(EXIT.failed, `${broken} of ${findings.length} checks failed`);
}

function printLines({ stdout, env }: Terminal, findings: readonly Finding[]): void {
  for (const { check, verdict, detail, hint } of findings) {
    const [mark, color] = MARKS[verdict];
    const shown = wantsColor(stdout, env) ? styleText(color, mark, { validateStream: false }) : mark;
    const advice = hint === null ? '' : `. ${hint}`;
    stdout.write(`${shown} ${verdict.padEnd(7)}  ${check.padEnd(11)}  ${printable(detail)}${advice}\n`);
  }
}
