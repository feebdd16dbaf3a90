import type { Pool } from 'pg';
import type { Position } from '#log/port';
import { ProjectionProgress } from './progress.ts';

export interface PositionWaiterOptions {
  readonly pool: Pool;
  /** Told of by the projector in this process; without one, waiting means polling. */
  readonly progress?: ProjectionProgress;
  /** Tables that are written with the append, so that they are never behind. */
  readonly writtenByAppend: readonly string[];
}

export interface WaitLimits {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

const FIRST_POLL_MS = 25;
const LONGEST_POLL_MS = 200;

/** Lets readers wait for tables to show what they have written. */
export class PositionWaiter {
  readonly #options: PositionWaiterOptions;
  readonly #progress: ProjectionProgress;

  constructor(options: PositionWaiterOptions) {
    this.#options = options;
    this.#progress = options.progress ?? new ProjectionProgress();
  }

  /**
   * Waits until the named projections have seen everything up to a position of this log (check it first: a foreign one
   * is never reached). @returns false when they have not in time, or the signal aborted.
   */
  async waitForPosition(names: readonly string[], position: Position, limits: WaitLimits): Promise<boolean> {
    const deadline = performance.now() + limits.timeoutMs;
    const waited = names.filter((name) => !this.#options.writtenByAppend.includes(name));
    for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(2 * pollMs, LONGEST_POLL_MS)) {
      const behind = waited.filter((name) => (this.#progress.position(name) ?? '') < position);
      if (behind.length === 0 || (await this.#haveReached(behind, position))) return true;
      const leftMs = deadline - performance.now();
      if (leftMs <= 0 || limits.signal?.aborted) return false;
      await this.#progress.nextMove(Math.min(pollMs, leftMs), limits.signal);
    }
  }

  async #haveReached(names: readonly string[], position: Position): Promise<boolean> {
    const { rows } = await this.#options.pool.query<{ reached: boolean }>(
      'SELECT count(*) = $3 AS reached FROM projections WHERE name = ANY ($1) AND position >= $2',
      [names, position, names.length],
    );
    return rows[0]?.reached ?? false;
  }
}
