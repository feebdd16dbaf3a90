import { Command, Option } from 'commander';
import { PACKAGE_VERSION } from '../package-version.ts';
import { httpUrl } from './arguments.ts';
import { addDoctor } from './commands/doctor.ts';
import { addEvents } from './commands/events.ts';
import { addJobs } from './commands/jobs.ts';
import { addMigrate } from './commands/migrate.ts';
import { addProjections } from './commands/projections.ts';
import { addQueues } from './commands/queues.ts';
import { addServer } from './commands/server.ts';
import { addVersion } from './commands/version.ts';
import { EXIT_CODE_HELP } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** The command line of `holdfast`: its commands and options, and with them its help and docs/cli.md. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command('holdfast')
    .description('A distributed job scheduler whose source of truth is an event log.')
    .version(PACKAGE_VERSION, '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    })
    .configureHelp({ showGlobalOptions: true, helpWidth: 100 })
    .showSuggestionAfterError()
    .addHelpText('after', exitCodes);
  for (const option of globalOptions()) program.addOption(option);
  addServer(program, terminal);
  addMigrate(program, terminal);
  addJobs(program, terminal);
  addQueues(program, terminal);
  addProjections(program, terminal);
  addEvents(program, terminal);
  addDoctor(program, terminal);
  addVersion(program, terminal);
  return program;
}

function globalOptions(): Option[] {
  return [
    new Option('--json', 'print one JSON value').conflicts(['jsonl', 'quiet']),
    new Option('--jsonl', 'print one JSON value a line').conflicts(['json', 'quiet']),
    new Option('-q, --quiet', 'print ids only').conflicts(['json', 'jsonl']),
    new Option(
      '--url <url>',
      'the server to speak to (default: HOLDFAST_URL, else the port of HOLDFAST_PORT)',
    ).argParser(httpUrl),
    new Option('--api-key <key>', 'the key to show it (default: HOLDFAST_API_KEY)'),
  ];
}

function exitCodes(): string {
  const lines = EXIT_CODE_HELP.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`);
  return `\nExit codes:\n${lines.join('\n')}\n`;
}
