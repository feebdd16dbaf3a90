import { DatabaseError } from 'pg';
import { isConnectionError } from '#runtime/postgres/pool';
import { LogUnavailable } from '../port.ts';

/**
 * Classes of SQLSTATE that speak of the server's state, not of what was sent: deadlock and serialization, resources,
 * object in use or lock not had in time, intervention and timeout, system errors, wrong credentials or database.
 */
const PASSING_CLASSES = new Set(['28', '3D', '40', '53', '55', '57', '58']);
const READ_ONLY = '25006';
/** A statement that was prepared before the schema changed, or that this connection does not know any more. */
const STALE_STATEMENT = new Set(['0A000', '26000']);

/**
 * Whether the same call may succeed later. For a write that was sent this covers the unknown outcome; everything else is
 * an answer about the data.
 */
export function isPassing(error: unknown): boolean {
  if (isConnectionError(error)) return true;
  if (!(error instanceof DatabaseError)) return false;
  const code = error.code ?? '';
  return code === READ_ONLY || STALE_STATEMENT.has(code) || PASSING_CLASSES.has(code.slice(0, 2));
}

/** Turns an outage into the port's word for it, and leaves every other error as it is. */
export async function orUnavailable<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isPassing(error)) throw new LogUnavailable(`cannot ${what}`, { cause: error });
    throw error;
  }
}
