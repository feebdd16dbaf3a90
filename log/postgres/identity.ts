import type { Pool } from 'pg';
import { orUnavailable } from './failures.ts';

/** The log's UUID, made by the migration that made its tables. @throws LogUnavailable */
export async function readIdentity(pool: Pool): Promise<string> {
  const { rows } = await orUnavailable('open the log', pool.query<{ id: string }>('SELECT id FROM log_identity'));
  const [row] = rows;
  if (row === undefined) throw new Error('the log has lost its identity: the table log_identity is empty');
  return row.id;
}
