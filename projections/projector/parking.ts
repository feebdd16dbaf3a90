import type { Pool, PoolClient } from 'pg';
import { loadSql } from '#runtime/postgres/sql';
import type { ParkedStream } from './projection.ts';

const PARK = loadSql(import.meta.url, 'park.sql');

/** The streams that a projection no longer follows. */
export async function readParkedStreams(db: Pool | PoolClient, projection: string): Promise<Set<string>> {
  const { rows } = await db.query<{ stream: string }>('SELECT stream FROM parked_streams WHERE projection = $1', [
    projection,
  ]);
  return new Set(rows.map((row) => row.stream));
}

/** Parks streams in the transaction that moves the checkpoint over their events. */
export async function parkStreams(
  transaction: PoolClient,
  projection: string,
  parked: readonly ParkedStream[],
): Promise<void> {
  if (parked.length === 0) return;
  await transaction.query(PARK, [
    projection,
    parked.map((one) => one.stream),
    parked.map((one) => one.version),
    parked.map((one) => one.error.replaceAll('\u0000', '\ufffd')),
  ]);
}
