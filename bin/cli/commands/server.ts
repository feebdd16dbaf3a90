import type { Command } from 'commander';
import { CommandFailure } from '../command-failure.ts';
import { EXIT } from '../exit-codes.ts';
import { openSession, type Session } from '../session.ts';
import type { Terminal } from '../terminal.ts';

export function addServer(program: Command, terminal: Terminal): void {
  program
    .command('server')
    .description(
      'run the roles of HOLDFAST_ROLES in this process (default: all); an embedded database is migrated by itself, an ' +
        'external one that is behind is refused',
    )
    .action(async (_options, command) => await serve(openSession(command, terminal)));
  program
    .command('worker')
    .description('run a worker only: the handlers of HOLDFAST_HANDLERS and the built-in job types')
    .action(async (_options, command) => {
      const session = openSession(command, terminal);
      await serve({ ...session, config: { ...session.config, roles: new Set(['worker']) } });
    });
}

async function serve({ config, warnings, terminal }: Session): Promise<void> {
  for (const warning of warnings) terminal.stderr.write(`holdfast: ${warning}\n`);
  if (config.roles.size === 0) throw new CommandFailure(EXIT.usage, 'HOLDFAST_ROLES names no role');
  // Loaded here, since no other command needs the server's packages and each would wait for them.
  const { runServer } = await import('../../server.ts');
  await runServer(config);
  leaveHandlersBehind();
}

const LAST_WORDS_MS = 200;

/** A handler that did not stop was handed back, and holds nothing but this process: it may not keep that from ending. */
function leaveHandlersBehind(): void {
  setTimeout(() => process.exit(), LAST_WORDS_MS).unref();
}
