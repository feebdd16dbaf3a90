import type { Command } from 'commander';
import type { Page, Queue } from '#client/types';
import { openSession, type Session } from '../session.ts';
import type { Column } from '../table.ts';
import type { Terminal } from '../terminal.ts';

const COLUMNS: readonly Column<Queue>[] = [
  { title: 'QUEUE', value: (queue) => queue.name },
  { title: 'PENDING', value: (queue) => queue.depth.pending, align: 'right' },
  { title: 'DUE', value: (queue) => queue.due, align: 'right' },
  { title: 'RUNNING', value: (queue) => queue.depth.running, align: 'right' },
  { title: 'SUCCEEDED', value: (queue) => queue.depth.succeeded, align: 'right' },
  { title: 'DEAD', value: (queue) => queue.depth.dead, align: 'right' },
  { title: 'CANCELLED', value: (queue) => queue.depth.cancelled, align: 'right' },
  { title: 'OLDEST DUE', value: (queue) => queue.oldest_due_at },
];

export function addQueues(program: Command, terminal: Terminal): void {
  const queues = program.command('queues').description('see what waits where');
  queues
    .command('list', { isDefault: true })
    .description('list the queues that were ever used')
    .action(async (_options, command) => {
      const session = openSession(command, terminal);
      const page = await allQueues(session);
      session.printer.list({
        rows: page.data,
        columns: COLUMNS,
        id: (queue) => queue.name,
        whole: page,
        empty: 'No queue was used yet. Submit a job with: holdfast jobs submit --type noop',
      });
    });
}

async function allQueues({ client }: Session): Promise<Page<Queue>> {
  const data: Queue[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Page<Queue> = await client.listQueues(cursor === undefined ? {} : { cursor });
    data.push(...page.data);
    cursor = page.next_cursor;
  }
  return { data, next_cursor: null };
}
