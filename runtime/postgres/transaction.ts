import type { Pool, PoolClient } from 'pg';
import { isConnectionError } from './pool.ts';

/**
 * Runs `work` in one read-committed transaction and commits it.
 * @throws what `work` or the database threw; then nothing was written, unless the connection broke during the commit
 *   (`isConnectionError`), in which case the outcome is unknown.
 */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    const result = await work(client);
    const { command } = await client.query('COMMIT');
    // A commit of a transaction in which an error was swallowed reports success and rolls back.
    if (command === 'ROLLBACK') throw new Error('The transaction had failed before its commit; it was rolled back');
    return result;
  } catch (error) {
    broken = await rollBack(client, error);
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Answers with an error when the connection must not be used again. */
async function rollBack(client: PoolClient, cause: unknown): Promise<Error | undefined> {
  if (isConnectionError(cause)) return cause as Error;
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
