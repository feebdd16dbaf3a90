import type { AppendHook } from '#log/postgres/hook';
import { openPostgresLog } from '#log/postgres/store';
import { createLogger } from '#runtime/logger';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

export const silent = createLogger({ level: 'silent', name: 'test' });

/** Polling is slow enough that a test which needs it and not a wake-up would be seen to be slow. */
export const POLL_MS = 500;

/** A log in a database of its own. */
export async function openTestLog(options: { hook?: AppendHook; pollMs?: number; prepare?: string } = {}) {
  const database = await createTestDatabase();
  if (options.prepare !== undefined) await database.pool.query(options.prepare);
  const log = await openLogIn(database, options);
  const drop = async () => {
    await log.close();
    await database.drop();
  };
  return { log, database, drop };
}

/** A further log object on the same tables, as another process would have it. */
export function openLogIn(
  database: TestDatabase,
  { hook, pollMs = POLL_MS }: { hook?: AppendHook; pollMs?: number } = {},
) {
  return openPostgresLog({ pool: database.pool, logger: silent, pollMs, ...(hook === undefined ? {} : { hook }) });
}
