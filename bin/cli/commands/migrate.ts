import type { Command } from 'commander';
import { migrate } from '#runtime/postgres/migrate';
import { withDatabase } from '../database.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';

export function addMigrate(program: Command, terminal: Terminal): void {
  program
    .command('migrate')
    .description('bring the schema of DATABASE_URL, else of the embedded database, up to this version')
    .action(async (_options, command) => {
      const { config, printer } = openSession(command, terminal);
      const { applied } = await withDatabase(
        config,
        async (connectionString) => await migrate({ connectionString, schema: config.schema }),
      );
      printer.list({
        rows: applied.map((name) => ({ applied: name })),
        columns: [{ title: 'APPLIED', value: (row) => row.applied }],
        id: (row) => row.applied,
        whole: { applied },
        empty: `The schema ${config.schema} is up to date.`,
      });
    });
}
