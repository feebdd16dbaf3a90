import type { Command } from 'commander';
import type { CloudEvent } from '#client/types';
import { collect, positiveNumber } from '../arguments.ts';
import { openSession, type Session } from '../session.ts';
import type { Column } from '../table.ts';
import type { Terminal } from '../terminal.ts';

const COLUMNS: readonly Column<CloudEvent>[] = [
  { title: 'TIME', value: (event) => event.time },
  { title: 'EVENT', value: (event) => event.type },
  { title: 'JOB', value: (event) => event.subject },
  { title: 'VERSION', value: (event) => event.streamversion },
  { title: 'TYPE', value: (event) => event.jobtype },
  { title: 'QUEUE', value: (event) => event.queue },
  { title: 'ACTOR', value: (event) => event.actor },
  { title: 'POSITION', value: (event) => event.position },
];

interface TailOptions {
  readonly queue?: readonly string[];
  readonly type?: readonly string[];
  readonly event?: readonly string[];
  readonly actor?: readonly string[];
  readonly after?: string;
  readonly fromBeginning?: boolean;
  readonly limit?: number;
}

export function addEvents(program: Command, terminal: Terminal): void {
  const events = program.command('events').description('follow the log');
  events
    .command('tail')
    .description('print events as they are written, one a line, until interrupted; it reconnects by itself')
    .option('--queue <queue>', 'of jobs in this queue; several mean any of them', collect)
    .option('--type <type>', 'of jobs of this type; several mean any of them', collect)
    .option('--event <name>', 'of this name, such as Succeeded; several mean any of them', collect)
    .option('--actor <actor>', 'written by this actor; several mean any of them', collect)
    .option('--after <position>', 'begin after this position (default: what comes from now on)')
    .option('--from-beginning', 'begin with the first event of the log')
    .option('--limit <number>', 'stop after so many', positiveNumber)
    .action(async (options: TailOptions, command) => await tail(openSession(command, terminal), options));
}

async function tail({ client, printer }: Session, options: TailOptions): Promise<void> {
  const { queue, type, event, actor, limit = Number.POSITIVE_INFINITY } = options;
  const filters = { ...(queue && { queue }), ...(type && { type }), ...(event && { event }), ...(actor && { actor }) };
  let printed = 0;
  for await (const one of client.followEvents({ ...filters, ...(await startOf(client, options)) })) {
    printer.next(one, COLUMNS, (row) => row.id);
    printed += 1;
    if (printed >= limit) return;
  }
}

async function startOf(client: Session['client'], options: TailOptions): Promise<{ readonly after?: string }> {
  if (options.fromBeginning) return {};
  const after = options.after ?? (await client.headPosition());
  return after === null ? {} : { after };
}
