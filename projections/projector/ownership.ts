import type { Pool, PoolClient } from 'pg';
import { type EventLog, ForeignPosition, type Position } from '#log/port';
import { loadSql } from '#runtime/postgres/sql';
import type { Projection } from './projection.ts';
import { type BatchWrite, fencedWrite } from './write.ts';

/** The right to work on a projection: valid for as long as nobody took the next epoch. */
export interface Ownership {
  readonly projection: string;
  readonly epoch: string;
  /** Null before the first event. */
  readonly position: Position | null;
}

export const LEASE_MS = 5000;
const TAKE = loadSql(import.meta.url, 'take.sql');
const RENEW = loadSql(import.meta.url, 'renew.sql');
const HAND_BACK = loadSql(import.meta.url, 'hand-back.sql');

/** Somebody else works on the projection now; nothing was written. */
export class OwnershipLost extends Error {
  override readonly name = 'OwnershipLost';
}

/**
 * Takes a projection over when it is free. Committed synchronously, as the pool's sessions are: an epoch that was told
 * must never be told again.
 * @returns null while another works on it.
 * @throws ForeignPosition when its checkpoint belongs to another log, or lies ahead of this one.
 */
export async function takeOwnership(
  pool: Pool,
  log: EventLog,
  projection: Pick<Projection, 'name' | 'schemaVersion'>,
  owner: string,
): Promise<Ownership | null> {
  const { name, schemaVersion } = projection;
  await requireOwnLog(pool, log, name);
  const { rows } = await pool.query<Pick<Ownership, 'epoch' | 'position'>>(TAKE, [
    name,
    schemaVersion,
    log.id,
    owner,
    LEASE_MS,
  ]);
  return rows[0] ? { projection: name, ...rows[0] } : null;
}

/** @returns whether the ownership still stands. */
export async function renewOwnership(pool: Pool, { projection, epoch }: Ownership): Promise<boolean> {
  const { rowCount } = await pool.query(RENEW, [projection, epoch, LEASE_MS]);
  return rowCount === 1;
}

export async function handBack(pool: Pool, { projection, epoch }: Ownership): Promise<void> {
  await pool.query(HAND_BACK, [projection, epoch]);
}

/**
 * Moves the checkpoint and writes the rows of what lies between, if there are any: both, or neither.
 * @throws OwnershipLost
 */
export async function moveCheckpoint(
  client: Pool | PoolClient,
  owned: Ownership,
  to: Position,
  write: BatchWrite | null,
): Promise<Ownership> {
  const { projection, epoch, position } = owned;
  const { rows } = await client.query<{ moved: boolean }>(
    fencedWrite([projection, epoch, position, to, LEASE_MS], write),
  );
  if (!rows[0]?.moved) throw new OwnershipLost(`${projection} is worked on by another; epoch ${epoch} is over`);
  return { ...owned, position: to };
}

/** A checkpoint that this log does not know must stop the work: going on from it would skip events. */
async function requireOwnLog(pool: Pool, log: EventLog, name: string): Promise<void> {
  const { rows } = await pool.query<{ log_id: string; position: string | null }>(
    'SELECT log_id, position FROM projections WHERE name = $1',
    [name],
  );
  const [known] = rows;
  if (known === undefined) return;
  if (known.log_id !== log.id) {
    throw new ForeignPosition(`The checkpoint of ${name} belongs to log ${known.log_id}, not to ${log.id}`);
  }
  if (known.position !== null) await log.checkPosition(known.position);
}
