import type { ClientBase, QueryConfig } from 'pg';

/** As long as a connection may take to be made. */
const PATIENCE_MS = 5_000;

/**
 * Named statements stay prepared on their connection, where that is safe. Behind a transaction-mode pooler the next
 * transaction may run on another server connection, which does not know the statement; so names are dropped there, and
 * each statement is parsed anew.
 *
 * A pooler tells a process id of its own when it lets a client in, since it cannot know which server process will answer.
 */
export async function dropNamesBehindPooler(client: ClientBase): Promise<void> {
  const query = { text: 'SELECT pg_backend_pid() AS pid', query_timeout: PATIENCE_MS };
  const { rows } = await client.query<{ pid: number }>(query);
  const { processID } = client as ClientBase & { readonly processID: number | null };
  if (rows[0]?.pid === processID) return;
  const send = client.query.bind(client) as (...given: unknown[]) => unknown;
  const nameless = (config: string | QueryConfig, ...rest: unknown[]) =>
    send(typeof config === 'object' && config.name !== undefined ? { ...config, name: undefined } : config, ...rest);
  client.query = nameless as typeof client.query;
}
