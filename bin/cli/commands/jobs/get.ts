import type { Command } from 'commander';
import { wholeNumber } from '../../arguments.ts';
import { openSession } from '../../session.ts';
import type { Terminal } from '../../terminal.ts';
import { idOf, JOB_FIELDS } from './columns.ts';

export function addGet(jobs: Command, terminal: Terminal): void {
  jobs
    .command('get')
    .description('show a job, as it is or as it was')
    .argument('<id>', 'of the job')
    .option('--at-version <number>', 'as it was after the event of this version', wholeNumber)
    .option('--as-of <instant>', 'as it was at this instant (RFC 3339)')
    .action(async (id: string, options: { atVersion?: number; asOf?: string }, command) => {
      const { client, printer } = openSession(command, terminal);
      const job = await client.getJob(id, {
        ...(options.atVersion !== undefined && { version: options.atVersion }),
        ...(options.asOf !== undefined && { asOf: options.asOf }),
      });
      printer.one({ row: job, columns: JOB_FIELDS, id: idOf });
    });
}
