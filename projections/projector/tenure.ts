import type { Pool } from 'pg';
import { LEASE_MS, type Ownership, renewOwnership } from './ownership.ts';

const LOOK_EVERY_MS = 250;
const RENEW_EVERY_MS = 1500;
const LONGEST_LAG_MS = 1000;

/**
 * Keeps an ownership alive while there is nothing to write, and gives it up early: when the event loop lagged by a second
 * (the process was frozen, or is too busy to be relied on) or the database was away for as long as the lease. The fence
 * itself is the epoch in the database; this only saves useless work.
 */
export class Tenure {
  readonly #pool: Pool;
  readonly #owned: Ownership;
  readonly #over = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #lookedAt = performance.now();
  #renewedAt = performance.now();
  #renewing = false;

  constructor(pool: Pool, owned: Ownership) {
    this.#pool = pool;
    this.#owned = owned;
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  /** Aborts when the work must stop. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** A batch was committed, and the lease prolonged with it. */
  renewed(): void {
    this.#renewedAt = performance.now();
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    const lag = now - this.#lookedAt - LOOK_EVERY_MS;
    this.#lookedAt = now;
    if (lag > LONGEST_LAG_MS) this.#over.abort(new Error(`the event loop lagged by ${Math.round(lag)} ms`));
    else if (now - this.#renewedAt > LEASE_MS) this.#over.abort(new Error('the lease could not be renewed'));
    else if (now - this.#renewedAt > RENEW_EVERY_MS && !this.#renewing) void this.#renew();
  }

  async #renew(): Promise<void> {
    this.#renewing = true;
    const sentAt = performance.now();
    try {
      if (await renewOwnership(this.#pool, this.#owned)) this.#renewedAt = sentAt;
      else this.#over.abort(new Error('another took over'));
    } catch {
      // An outage: the next look tries again, and the lease's length ends it.
    } finally {
      this.#renewing = false;
    }
  }
}
