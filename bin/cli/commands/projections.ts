import type { Command } from 'commander';
import type { Projection } from '#client/types';
import { openSession } from '../session.ts';
import type { Column } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { addRebuild } from './projections-rebuild.ts';

const COLUMNS: readonly Column<Projection>[] = [
  { title: 'PROJECTION', value: (projection) => projection.name },
  { title: 'STATE', value: (projection) => projection.state },
  { title: 'GENERATION', value: (projection) => projection.generation, align: 'right' },
  { title: 'LAG EVENTS', value: (projection) => projection.lag_events, align: 'right' },
  { title: 'LAG SECONDS', value: (projection) => projection.lag_seconds, align: 'right' },
  { title: 'PARKED', value: (projection) => projection.parked_streams, align: 'right' },
  { title: 'POSITION', value: (projection) => projection.position },
];

export function addProjections(program: Command, terminal: Terminal): void {
  const projections = program.command('projections').description('look after the tables that are made from the log');
  projections
    .command('status')
    .description('how far each projection is, and how many streams it had to leave out')
    .action(async (_options, command) => {
      const { client, printer } = openSession(command, terminal);
      const page = await client.listProjections();
      printer.list({
        rows: page.data,
        columns: COLUMNS,
        id: (projection) => projection.name,
        whole: page,
        empty: 'No projection has started yet.',
      });
    });
  addRebuild(projections, terminal);
}
