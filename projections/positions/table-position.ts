import type { Pool } from 'pg';
import type { Position } from '#log/port';

/** The position up to which all of the named projections have seen the log; null when one has seen nothing yet. */
export async function tablePosition(pool: Pool, names: readonly string[]): Promise<Position | null> {
  const { rows } = await pool.query<{ position: Position | null }>(
    `SELECT CASE WHEN count(position) = $2 THEN min(position COLLATE "C") END AS position
     FROM projections WHERE name = ANY ($1)`,
    [names, names.length],
  );
  return rows[0]?.position ?? null;
}
