import type { Pool } from 'pg';
import type { Logger } from '#runtime/logger';
import { loadSql } from '#runtime/postgres/sql';

const HELD_BACK_BY = loadSql(import.meta.url, './held-back-by.sql');

/**
 * Notices "the head moves and readers do not": numbers go on being given out, but the bound stays where it is. Reading
 * goes on all the same; the operator is told once, with the backends that hold the bound, and once more when it moves.
 */
export class Watchdog {
  readonly #pool: Pool;
  readonly #logger: Logger;
  readonly #patienceMs: number;
  #bound = -1;
  #stuckSince = 0;
  #isReported = false;

  constructor(pool: Pool, logger: Logger, patienceMs: number) {
    this.#pool = pool;
    this.#logger = logger;
    this.#patienceMs = patienceMs;
  }

  /** Takes what a read saw. `now` is in milliseconds of a monotonic clock. */
  observe(seen: { readonly lastNumber: number; readonly bound: number }, now: number = performance.now()): void {
    if (seen.bound > this.#bound || seen.bound === seen.lastNumber) {
      if (this.#isReported) this.#logger.info({ bound: seen.bound }, 'readers of the log move again');
      this.#bound = seen.bound;
      this.#stuckSince = now;
      this.#isReported = false;
    } else if (!this.#isReported && now - this.#stuckSince >= this.#patienceMs) {
      this.#isReported = true;
      void this.#report(seen);
    }
  }

  async #report(seen: { readonly lastNumber: number; readonly bound: number }): Promise<void> {
    const heldBackBy = await this.#pool.query(HELD_BACK_BY).then(
      ({ rows }) => rows,
      () => [],
    );
    const { bound, lastNumber } = seen;
    this.#logger.warn({ bound, lastNumber, heldBackBy }, 'readers of the log are held back by an append under way');
  }
}
