import type { Command } from 'commander';
import { openSession } from '../../session.ts';
import type { Terminal } from '../../terminal.ts';
import { idOf, JOB_FIELDS } from './columns.ts';

export function addCancel(jobs: Command, terminal: Terminal): void {
  jobs
    .command('cancel')
    .description('cancel a pending job; ask the worker of a running one to stop')
    .argument('<id>', 'of the job')
    .option('--reason <text>', 'kept with the event')
    .action(async (id: string, options: { reason?: string }, command) => {
      const { client, printer } = openSession(command, terminal);
      printer.one({ row: await client.cancelJob(id, options), columns: JOB_FIELDS, id: idOf });
    });
}
