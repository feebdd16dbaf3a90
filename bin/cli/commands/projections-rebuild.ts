import type { Command } from 'commander';
import { PROJECTION_NAMES } from '../../projection-names.ts';
import { CommandFailure } from '../command-failure.ts';
import { EXIT } from '../exit-codes.ts';
import { showProgress } from '../progress.ts';
import { openSession, type Session } from '../session.ts';
import type { Terminal } from '../terminal.ts';

export function addRebuild(projections: Command, terminal: Terminal): void {
  projections
    .command('rebuild')
    .description('empty a projection and fill it from the log again; no server may run meanwhile')
    .argument('<name>', PROJECTION_NAMES.join(', '))
    .action(async (name: string, _options, command) => await rebuild(openSession(command, terminal), name));
}

async function rebuild({ config, terminal, printer }: Session, wanted: string): Promise<void> {
  const name = PROJECTION_NAMES.find((one) => one === wanted);
  if (name === undefined) {
    throw new CommandFailure(
      EXIT.notFound,
      `There is no projection ${wanted}; there are ${PROJECTION_NAMES.join(', ')}`,
    );
  }
  const { rebuildProjection } = await import('../rebuild.ts');
  const progress = showProgress(terminal, `rebuilding ${name}`);
  const startedAt = performance.now();
  await rebuildProjection(config, name, progress);
  progress.end();
  printer.one({
    row: { projection: name, seconds: Math.round(performance.now() - startedAt) / 1_000 },
    columns: [
      { title: 'rebuilt', value: (row) => row.projection },
      { title: 'seconds', value: (row) => row.seconds },
    ],
    id: (row) => row.projection,
  });
}
