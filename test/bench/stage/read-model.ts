import { setTimeout as delay } from 'node:timers/promises';
import { isOurs } from '../products/catalog.ts';
import { inspect } from './inspect.ts';
import type { Stage } from './stage.ts';

const LOOK_EVERY_MS = 10;
const MOST_SECONDS = 120;

/** How long until the read tables have all that is in the log; `null` for products that keep no log. */
export async function waitForReadModel(stage: Stage): Promise<number | null> {
  if (!isOurs(stage.entry)) return null;
  return await inspect(stage, async (client) => {
    const begin = performance.now();
    for (;;) {
      const { rows } = await client.query<{ behind: boolean }>(BEHIND);
      const seconds = (performance.now() - begin) / 1000;
      if (!rows[0]?.behind) return seconds;
      if (seconds > MOST_SECONDS) throw new Error(`the read tables are behind the log after ${MOST_SECONDS} s`);
      await delay(LOOK_EVERY_MS);
    }
  });
}

/** Whether the log has events of jobs behind the table's position, which ends in the event's number. */
const BEHIND = `
  SELECT NOT EXISTS (
    SELECT FROM projections
    WHERE name = 'jobs' AND ('x' || right(position, 16))::bit(64)::bigint >= (
      SELECT max(position) FROM events WHERE status IS NOT NULL
    )
  ) AS behind`;
