import type { Pool } from 'pg';
import { loadSql } from '#runtime/postgres/sql';

/** What a worker shows of itself while it works. */
export interface WorkerMark {
  readonly workerId: string;
  /** Null means all. */
  readonly queues: readonly string[] | null;
  readonly types: readonly string[] | null;
  /** It takes no new jobs. */
  readonly stopping?: boolean;
  /** Epoch milliseconds. */
  readonly at: number;
}

const TOUCH = loadSql(import.meta.url, 'touch.sql');
const PRUNE_EVERY_MS = 600_000;
/** Marks older than a day are of no use to anybody. */
export const FORGOTTEN_AFTER_MS = 86_400_000;

/** Notes when workers were last seen. Each worker at most once in a call. */
export class WorkerMarks {
  readonly #pool: Pool;
  #prunedAt = 0;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async touchWorkers(marks: readonly WorkerMark[]): Promise<void> {
    const [first] = marks;
    if (first === undefined) return;
    const rows = marks.map(({ workerId, queues, types, stopping = false, at }) => ({
      ...{ worker_id: workerId, last_seen_at: at, stopping, queues, types },
    }));
    await this.#pool.query(TOUCH, [JSON.stringify(rows)]);
    if (first.at - this.#prunedAt < PRUNE_EVERY_MS) return;
    this.#prunedAt = first.at;
    await this.#pool.query('DELETE FROM worker_marks WHERE last_seen_at < $1', [first.at - FORGOTTEN_AFTER_MS]);
  }
}
