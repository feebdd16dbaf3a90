import type { Command } from 'commander';
import { wholeNumber } from '../../arguments.ts';
import { readJsonObject } from '../../json-argument.ts';
import { openSession } from '../../session.ts';
import type { Terminal } from '../../terminal.ts';
import { idOf, JOB_FIELDS } from './columns.ts';

interface ReplayOptions {
  readonly reason?: string;
  readonly maxAttempts?: number;
  readonly payload?: string;
}

export function addReplay(jobs: Command, terminal: Terminal): void {
  jobs
    .command('replay')
    .description('let a dead job start over; with another payload it becomes a new job, which is shown')
    .argument('<id>', 'of the job')
    .option('--reason <text>', 'kept with the event')
    .option('--max-attempts <number>', 'how often it is tried from now on', wholeNumber)
    .option('--payload <json>', 'another input: a JSON object, @file, or - for standard input')
    .action(async (id: string, options: ReplayOptions, command) => {
      const { client, printer } = openSession(command, terminal);
      const { reason, maxAttempts, payload } = options;
      const job = await client.replayJob(id, {
        ...(reason !== undefined && { reason }),
        ...(maxAttempts !== undefined && { max_attempts: maxAttempts }),
        ...(payload !== undefined && { payload: await readJsonObject(payload, '--payload', terminal) }),
      });
      printer.one({ row: job, columns: JOB_FIELDS, id: idOf });
    });
}
