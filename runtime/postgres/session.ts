import type { ClientConfig } from 'pg';

export interface Session {
  /** `postgres://` or `postgresql://` URL. */
  readonly connectionString: string;
  /** Schema that unqualified names resolve to. Any text: it is quoted. */
  readonly schema: string;
  /** Shown in `pg_stat_activity` behind `holdfast `. */
  readonly name: string;
  /** Milliseconds; 0 means no limit. */
  readonly statementTimeoutMs: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
const LOCK_TIMEOUT_MS = 10_000;
const IDLE_IN_TRANSACTION_MS = 30_000;

/**
 * How every connection of Holdfast begins.
 *
 * Settings travel as startup parameters, never as a `SET` after connecting: there is then no moment, and no reused
 * connection, without them. Behind a transaction-mode pooler, which takes no startup parameters, give the same values to
 * the role instead (`ALTER ROLE ... SET search_path = holdfast`, `SET timezone = 'UTC'`) and tell the pooler to ignore the
 * parameter (PgBouncer: `ignore_startup_parameters = options`). Nothing else depends on the session: no session locks, no
 * temporary tables, no named statements there (`named-statements.ts`); only LISTEN is lost, and every reader polls as well.
 */
export function sessionConfig(session: Session): ClientConfig {
  const { connectionString, options } = splitOptions(session.connectionString);
  const settings: Record<string, string> = {
    search_path: quoteIdentifier(session.schema),
    TimeZone: 'UTC',
    default_transaction_isolation: 'read committed',
    // Every statement of ours is short; compiling one takes longer than running it.
    jit: 'off',
    statement_timeout: String(session.statementTimeoutMs),
    lock_timeout: String(LOCK_TIMEOUT_MS),
    idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MS),
  };
  const ours = Object.entries(settings).map(([name, value]) => `-c ${name}=${escapeOption(value)}`);
  return {
    connectionString,
    options: [...options, ...ours].join(' '),
    application_name: `holdfast ${session.name}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // The server ends a slow statement; this ends the wait for a server that has fallen silent.
    ...(session.statementTimeoutMs > 0 ? { query_timeout: session.statementTimeoutMs + 5_000 } : {}),
  };
}

/** A name as SQL takes it whatever it contains. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** What the URL says about `options` would replace ours, so it is taken out and put in front of them. */
function splitOptions(connectionString: string): { connectionString: string; options: string[] } {
  const url = new URL(connectionString);
  const options = url.searchParams.getAll('options');
  if (options.length === 0) return { connectionString, options };
  url.searchParams.delete('options');
  return { connectionString: url.href, options };
}

/** The server splits `options` at white space; a backslash keeps the next character. */
function escapeOption(value: string): string {
  return value.replaceAll(/[\\\s]/g, (character) => `\\${character}`);
}
