import type { Pool } from 'pg';
import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';

export interface DatabaseClock extends Clock {
  /** Ends the refreshing; the clock itself goes on. */
  stop(): void;
}

export interface DatabaseClockOptions {
  /** Default 5,000. */
  readonly refreshEveryMs?: number;
  readonly logger?: Logger;
}

/** What must be added to the monotonic clock to have the database's, known to within half a round trip. */
interface Offset {
  readonly ms: number;
  readonly roundTripMs: number;
}

const ROUND_TRIPS = 5;

/**
 * The database's clock, kept by this process: measured now and every few seconds, advanced between by the monotonic
 * clock, so that neither a wrong machine clock nor an outage of the database moves it. It never runs backwards: when the
 * database's clock is set back, it stands still until that one has caught up.
 * @throws when the first measurement fails.
 */
export async function startDatabaseClock(pool: Pool, options: DatabaseClockOptions = {}): Promise<DatabaseClock> {
  const clock = new MeasuredClock(await measureOffset(pool));
  const timer = setInterval(() => {
    measureOffset(pool).then(
      (offset) => clock.adopt(offset),
      (error) =>
        options.logger?.debug({ err: error }, 'the database clock could not be read; the monotonic clock goes on'),
    );
  }, options.refreshEveryMs ?? 5_000).unref();
  return { now: () => clock.now(), stop: () => clearInterval(timer) };
}

class MeasuredClock implements Clock {
  #offset: Offset;
  #last = 0;

  constructor(offset: Offset) {
    this.#offset = offset;
  }

  now(): number {
    this.#last = Math.max(this.#last, Math.floor(performance.now() + this.#offset.ms));
    return this.#last;
  }

  /** A measurement through a busy moment is coarse: it may not replace a finer one that it does not contradict. */
  adopt(offset: Offset): void {
    const differenceMs = Math.abs(offset.ms - this.#offset.ms);
    const isCoarser = offset.roundTripMs > this.#offset.roundTripMs;
    if (isCoarser && differenceMs <= offset.roundTripMs / 2) return;
    this.#offset = offset;
  }
}

/** The shortest of several round trips leaves the least doubt about when the database read its clock. */
async function measureOffset(pool: Pool): Promise<Offset> {
  const client = await pool.connect();
  let broken = true;
  try {
    let best: Offset | undefined;
    for (let trip = 0; trip < ROUND_TRIPS; trip += 1) {
      const offset = await oneRoundTrip(client);
      if (best === undefined || offset.roundTripMs < best.roundTripMs) best = offset;
    }
    broken = false;
    return best as Offset;
  } finally {
    client.release(broken);
  }
}

async function oneRoundTrip(client: Pick<Pool, 'query'>): Promise<Offset> {
  const sentAt = performance.now();
  const { rows } = await client.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms');
  const roundTripMs = performance.now() - sentAt;
  return { ms: Number(rows[0].ms) - (sentAt + roundTripMs / 2), roundTripMs };
}
