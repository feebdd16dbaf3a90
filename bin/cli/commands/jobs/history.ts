import type { Command } from 'commander';
import type { JobEvent, Page } from '#client/types';
import { openSession, type Session } from '../../session.ts';
import type { Column } from '../../table.ts';
import type { Terminal } from '../../terminal.ts';

const COLUMNS: readonly Column<JobEvent>[] = [
  { title: 'VERSION', value: (event) => event.version, align: 'right' },
  { title: 'EVENT', value: (event) => event.type },
  { title: 'RECORDED', value: (event) => event.recorded_at },
  { title: 'ACTOR', value: (event) => event.metadata.actor },
  { title: 'DATA', value: (event) => event.data },
];

export function addHistory(jobs: Command, terminal: Terminal): void {
  jobs
    .command('history')
    .description('show every event of a job, oldest first')
    .argument('<id>', 'of the job')
    .action(async (id: string, _options, command) => {
      const session = openSession(command, terminal);
      const rows = await allEvents(session, id);
      session.printer.list({
        rows,
        columns: COLUMNS,
        id: (event) => event.metadata.event_id,
        whole: { data: rows, next_cursor: null },
        empty: 'No events.',
      });
    });
}

async function allEvents({ client }: Session, id: string): Promise<JobEvent[]> {
  const events: JobEvent[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Page<JobEvent> = await client.jobEvents(id, cursor === undefined ? {} : { cursor });
    events.push(...page.data);
    cursor = page.next_cursor;
  }
  return events;
}
