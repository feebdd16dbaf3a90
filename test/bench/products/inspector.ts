import { Pool } from 'pg';

const SCHEMA = 'holdfast';

/** A look at our tables from outside: counters, sizes and what the log holds. */
export interface Inspector {
  isDrained(): Promise<boolean>;
  audit(jobs: number): Promise<void>;
  storedBytes(): Promise<number>;
  doneTimes(): Promise<readonly (readonly [n: number, at: number])[]>;
  close(): Promise<void>;
}

export function openInspector(connectionString: string): Inspector {
  const pool = new Pool({ connectionString, max: 1, options: `-c search_path=${SCHEMA}` });
  return {
    async isDrained() {
      const { rows } = await pool.query<{ drained: boolean }>('SELECT NOT EXISTS (SELECT FROM due_jobs) AS drained');
      return rows[0]?.drained ?? false;
    },
    async audit(jobs) {
      const { rows } = await pool.query<{ events: string; jobs: number; different: number }>(AUDIT);
      const [row] = rows;
      if (rows.length === 1 && row?.events === ONCE && row.jobs === jobs && row.different === jobs) return;
      throw new Error(`Holdfast was to have ${jobs} jobs of ${ONCE} and has ${JSON.stringify(rows)}`);
    },
    async storedBytes() {
      const { rows } = await pool.query<{ bytes: number }>(STORED_BYTES, [SCHEMA]);
      return rows[0]?.bytes ?? 0;
    },
    async doneTimes() {
      const { rows } = await pool.query<{ n: number; at: number }>(DONE_TIMES);
      return rows.map(({ n, at }) => [n, at] as const);
    },
    close: () => pool.end(),
  };
}

const ONCE = '0 Submitted, 1 Claimed, 2 Succeeded';

/** Every job stream by the events it holds. */
const AUDIT = `
  SELECT streams.events, count(*)::int AS jobs, count(DISTINCT streams.n)::int AS different
  FROM (
    SELECT string_agg(version || ' ' || type, ', ' ORDER BY version) AS events,
      min(data->'payload'->>'n') FILTER (WHERE version = 0) AS n
    FROM events WHERE status IS NOT NULL GROUP BY stream
  ) AS streams
  GROUP BY streams.events`;

const STORED_BYTES = `
  SELECT sum(pg_total_relation_size(c.oid))::float8 AS bytes
  FROM pg_class c WHERE c.relnamespace = $1::regnamespace AND c.relkind = 'r'`;

/** By the time of the commit: `recorded_at` is taken before it. */
const DONE_TIMES = `
  SELECT (submitted.data->'payload'->>'n')::int AS n,
    extract(epoch FROM pg_xact_commit_timestamp(done.xmin))::float8 * 1000 AS at
  FROM events AS done
  JOIN events AS submitted ON submitted.stream = done.stream AND submitted.version = 0
  WHERE done.type = 'Succeeded'`;
