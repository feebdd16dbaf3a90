import type { Command, Option } from 'commander';
import { EXIT_CODE_HELP } from '#bin/cli/exit-codes';
import { createProgram } from '#bin/cli/program';
import { code, generatedFrom, table } from './markdown.ts';

const INTRODUCTION = `# Command line

\`npx holdfast <command>\` inside the clone. On a terminal answers are tables, in a pipe tab-separated lines without titles;
\`--json\` prints one JSON value, \`--jsonl\` one a line, \`--quiet\` ids only. Errors go to stderr and name the request id.
\`NO_COLOR\` is obeyed. Commands speak to the server at \`HOLDFAST_URL\`; \`migrate\` and \`projections rebuild\` work on the
database: \`DATABASE_URL\`, else the embedded one, which is started for one command when it is down.`;

/** docs/cli.md */
export function cliPage(): string {
  const program = createProgram({ ...process, env: {} });
  return [
    generatedFrom('bin/cli/'),
    INTRODUCTION,
    '## Exit codes',
    table(
      ['code', 'meaning'],
      EXIT_CODE_HELP.map(([exitCode, meaning]) => [String(exitCode), meaning]),
    ),
    '## Options of every command',
    optionTable(program.options),
    '## Commands',
    ...leavesOf(program).map(section),
  ]
    .join('\n\n')
    .concat('\n');
}

interface Leaf {
  readonly name: string;
  readonly command: Command;
}

function leavesOf(command: Command, path: readonly string[] = [command.name()]): Leaf[] {
  if (command.commands.length === 0) return [{ name: path.join(' '), command }];
  return command.commands.flatMap((child) => leavesOf(child, [...path, child.name()]));
}

function section({ name, command }: Leaf): string {
  const argumentsText = command.registeredArguments.map((argument) => ` <${argument.name()}>`).join('');
  const parts = [`### ${name}${argumentsText}`, `${sentence(command.description())}`];
  if (command.options.length > 0) parts.push(optionTable(command.options));
  return parts.join('\n\n');
}

function optionTable(options: readonly Option[]): string {
  return table(
    ['option', 'meaning'],
    options.map((option) => [code(option.flags), meaningOf(option)]),
  );
}

function meaningOf({ description, defaultValue }: Option): string {
  return defaultValue === undefined ? description : `${description} (default: ${String(defaultValue)})`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
}
