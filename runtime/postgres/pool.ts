import { Pool } from 'pg';
import type { Logger } from '../logger.ts';
import { dropNamesBehindPooler } from './named-statements.ts';
import { type Session, sessionConfig } from './session.ts';

export interface PoolOptions extends Omit<Session, 'statementTimeoutMs'> {
  /** Most connections open at once. */
  readonly max: number;
  /** Default 30,000. */
  readonly statementTimeoutMs?: number;
  readonly logger?: Logger;
}

/**
 * A pool whose connections resolve unqualified names in `schema`. It lives through restarts of the database: a broken
 * connection fails the call that uses it and is replaced by the next one. `query` and `connect` reject within 5 s when
 * no connection can be had.
 */
export function openPool(options: PoolOptions): Pool {
  const { logger } = options;
  const pool = new Pool({
    ...sessionConfig({ ...options, statementTimeoutMs: options.statementTimeoutMs ?? 30_000 }),
    max: options.max,
    idleTimeoutMillis: 30_000,
    onConnect: dropNamesBehindPooler,
  });
  const report = (error: Error) => logger?.warn({ err: error, pool: options.name }, 'a database connection broke');
  // The pool listens to a client only while it is idle. An error event without a listener ends the process, so each
  // client has one of its own for the time it is checked out; whoever uses it learns of the break from its query.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', report);
  return pool;
}

const CONNECTION_CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN'],
  ...['ENOTFOUND', 'EAI_AGAIN'],
  // Ended by an operator, by a crash, by an idle limit; not yet accepting; too many connections.
  ...['57P01', '57P02', '57P03', '57P05', '25P03', '25P04', '53300'],
]);
// The driver gives these errors no code.
const CONNECTION_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client (was closed|has encountered a connection error))/;

/**
 * Whether the database could not be reached or the connection broke. For a write that was sent, this means that its
 * outcome is unknown.
 */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code.startsWith('08') || CONNECTION_CODES.has(code) || CONNECTION_MESSAGES.test(error.message)) return true;
  return error instanceof AggregateError && error.errors.length > 0 && error.errors.every(isConnectionError);
}
