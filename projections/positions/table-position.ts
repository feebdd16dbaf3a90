import type { Pool } from 'pg';
import type { Position } from '#log/port';
import { loadSql } from '#runtime/postgres/sql';

const TABLE_POSITION = loadSql(import.meta.url, 'table-position.sql');

/** The position up to which all of the named projections have seen the log; null when one has seen nothing yet. */
export async function tablePosition(pool: Pool, names: readonly string[]): Promise<Position | null> {
  const { rows } = await pool.query<{ position: Position | null }>(TABLE_POSITION, [names, names.length]);
  return rows[0]?.position ?? null;
}
