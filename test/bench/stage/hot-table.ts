import { inspect } from './inspect.ts';
import type { Stage } from './stage.ts';

/** Pages of 8 KiB of the table of due jobs and its indexes: what a drained backlog leaves behind. */
export function hotTablePages(stage: Stage): Promise<number> {
  return inspect(stage, async (client) => {
    const { rows } = await client.query<{ pages: number }>(
      `SELECT (pg_total_relation_size('due_jobs') / 8192)::int AS pages`,
    );
    return rows[0]?.pages ?? 0;
  });
}
