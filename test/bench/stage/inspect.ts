import { Client } from 'pg';
import type { Stage } from './stage.ts';

/** A connection to look at our tables with. @throws when the run has no database of ours. */
export async function inspect<T>(stage: Stage, look: (client: Client) => Promise<T>): Promise<T> {
  if (stage.databaseUrl === null) throw new Error('this run has no database');
  const client = new Client({ connectionString: stage.databaseUrl, options: '-c search_path=holdfast' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await look(client);
  } finally {
    await client.end();
  }
}
