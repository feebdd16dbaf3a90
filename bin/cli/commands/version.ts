import type { Command } from 'commander';
import { PACKAGE_VERSION } from '../../package-version.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';

export function addVersion(program: Command, terminal: Terminal): void {
  program
    .command('version')
    .description('print the versions of holdfast and of the Node that runs it')
    .action((_options, command) => {
      const row = { holdfast: PACKAGE_VERSION, node: process.versions.node };
      openSession(command, terminal).printer.one({
        row,
        columns: [
          { title: 'holdfast', value: () => row.holdfast },
          { title: 'node', value: () => row.node },
        ],
        id: () => row.holdfast,
      });
    });
}
