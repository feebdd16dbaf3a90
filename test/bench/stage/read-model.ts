import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { isOurs } from '../products/catalog.ts';
import type { Stage } from './stage.ts';

const LOOK_EVERY_MS = 10;
const MOST_SECONDS = 120;

/** How long until the read tables have all that is in the log; `null` for products that keep no log. */
export async function waitForReadModel(stage: Stage): Promise<number | null> {
  if (!isOurs(stage.entry) || stage.databaseUrl === null) return null;
  const client = new Client({ connectionString: stage.databaseUrl, options: '-c search_path=holdfast' });
  await client.connect();
  const begin = performance.now();
  try {
    for (;;) {
      const { rowCount } = await client.query(UNFINISHED_IN_TABLE);
      const seconds = (performance.now() - begin) / 1000;
      if (rowCount === 0) return seconds;
      if (seconds > MOST_SECONDS) throw new Error(`the read tables are behind the log after ${MOST_SECONDS} s`);
      await delay(LOOK_EVERY_MS);
    }
  } finally {
    await client.end();
  }
}

/** The last event of a job, unless the table of jobs has been brought up to it. A position ends in the event's number. */
const UNFINISHED_IN_TABLE = `
  SELECT last.position
  FROM (SELECT position FROM events WHERE status IS NOT NULL ORDER BY position DESC LIMIT 1) AS last
  WHERE NOT EXISTS (
    SELECT FROM projections
    WHERE name = 'jobs' AND ('x' || right(projections.position, 16))::bit(64)::bigint >= last.position
  )`;
