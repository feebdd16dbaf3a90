import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { type EventLog, ForeignPosition } from '#log/port';
import type { Logger } from '#runtime/logger';
import { backoffMs, jittered, pause } from '#runtime/timer';
import type { ProjectionProgress } from '../positions/progress.ts';
import { followLog } from './follow.ts';
import { handBack, type Ownership, OwnershipLost, takeOwnership } from './ownership.ts';
import { readParkedStreams } from './parking.ts';
import type { Projection } from './projection.ts';
import { Tenure } from './tenure.ts';

export interface ProjectorOptions {
  readonly log: EventLog;
  readonly pool: Pool;
  readonly projections: readonly Projection[];
  readonly logger: Logger;
  /** Names this process in the ownership rows, for people. */
  readonly ownerId: string;
  /** Hears of every move, for readers of this process that wait for a position. */
  readonly progress?: ProjectionProgress;
  /** Events in a batch. Default 2,000, as others who follow the log in this process have it: they share reads. */
  readonly pageSize?: number;
}

export interface Projector {
  /** Finishes the batches under way and hands the projections back. */
  stop(): Promise<void>;
}

const STAND_BY_MS = 1000;
const FAILED_PAUSE_MS = 5000;
const BACKOFF = { firstMs: 100, longestMs: 5000 };

/**
 * Offers this process as projector: for each projection one loop that works while it owns it and stands by while another
 * does. It goes on through outages of the database and of the log, for ever.
 */
export function startProjector(options: ProjectorOptions): Projector {
  const stopping = new AbortController();
  const owner = `${options.ownerId}/${randomUUID()}`;
  const loops = options.projections.map((projection) =>
    new ProjectionLoop(options, projection, owner, stopping.signal).run(),
  );
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

class ProjectionLoop {
  readonly #options: ProjectorOptions;
  readonly #projection: Projection;
  readonly #owner: string;
  readonly #stopping: AbortSignal;
  readonly #logger: Logger;
  #failures = 0;

  constructor(options: ProjectorOptions, projection: Projection, owner: string, stopping: AbortSignal) {
    this.#options = options;
    this.#projection = projection;
    this.#owner = owner;
    this.#stopping = stopping;
    this.#logger = options.logger.child({ projection: projection.name });
  }

  async run(): Promise<void> {
    while (!this.#stopping.aborted) {
      const pauseMs = await this.#work().catch((error: unknown) => this.#pauseAfter(error));
      if (pauseMs > 0) await pause(pauseMs, this.#stopping);
    }
  }

  /** One tenure, if it can be had. @returns how long to wait before the next. */
  async #work(): Promise<number> {
    const { pool, log, progress } = this.#options;
    const owned = await takeOwnership(pool, log, this.#projection, this.#owner);
    if (owned === null) return jittered(STAND_BY_MS);
    progress?.begins(this.#projection.name, owned.position);
    this.#logger.info({ epoch: owned.epoch, position: owned.position }, 'this process works on the projection');
    const tenure = new Tenure(pool, owned);
    try {
      await this.#follow(owned, tenure);
      if (tenure.signal.aborted) this.#logger.warn({ err: tenure.signal.reason as Error }, 'gave the projection up');
      // The subscription ended by itself: the log was closed.
      else if (!this.#stopping.aborted) return STAND_BY_MS;
    } finally {
      tenure.end();
      await handBack(pool, owned).catch(() => undefined);
    }
    return 0;
  }

  async #follow(taken: Ownership, tenure: Tenure): Promise<void> {
    const { pool, log, progress, pageSize = 2000 } = this.#options;
    const parked = await readParkedStreams(pool, this.#projection.name);
    await followLog(taken, {
      pool,
      log,
      projection: this.#projection,
      parked,
      tenure,
      pageSize,
      signal: AbortSignal.any([this.#stopping, tenure.signal]),
      onMoved: () => tenure.renewed(),
      onApplied: ({ newlyParked }, next) => {
        this.#failures = 0;
        for (const stream of newlyParked) this.#logger.error(stream, 'a stream cannot be followed and is parked');
        progress?.moved(this.#projection.name, next);
      },
    });
  }

  #pauseAfter(error: unknown): number {
    if (error instanceof OwnershipLost) {
      this.#logger.warn({ err: error }, 'lost the projection to another');
      return STAND_BY_MS;
    }
    this.#failures += 1;
    if (error instanceof ForeignPosition) {
      this.#logger.error({ err: error }, 'the projection has FAILED: its checkpoint is not of this log; rebuild it');
      return FAILED_PAUSE_MS;
    }
    if (this.#failures === 1)
      this.#logger.warn({ err: error }, 'the projection is interrupted and will be tried again');
    return backoffMs(this.#failures, BACKOFF);
  }
}
