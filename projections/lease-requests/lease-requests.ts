import type { Pool } from 'pg';
import type { RunningJob } from '#domain/job/state';
import { loadSql } from '#runtime/postgres/sql';

export interface LeaseRequestsOptions {
  readonly pool: Pool;
  readonly dueJobs: { held(requestId: string): Promise<readonly RunningJob[]> };
}

const BEGIN = loadSql(import.meta.url, 'begin.sql');
const BOUND_TO = loadSql(import.meta.url, 'bound-to.sql');
const PRUNE = loadSql(import.meta.url, 'prune.sql');
/** A call that is under way longer than this has lost its process. */
const BUSY_MS = 10_000;
const PRUNE_EVERY_MS = 10_000;

/** Lease calls by the id their caller gave them: the port that makes `POST /v1/leases` safe to repeat. */
export class LeaseRequestsTable {
  readonly #options: LeaseRequestsOptions;
  #prunedAt = 0;

  constructor(options: LeaseRequestsOptions) {
    this.#options = options;
  }

  /** Reserves the id for this call. `now` is epoch milliseconds. */
  async begin(request: {
    readonly requestId: string;
    readonly workerId: string;
    readonly now: number;
  }): Promise<'begun' | 'in-progress' | 'other-worker'> {
    const { requestId, workerId, now } = request;
    await this.#prune(now);
    for (;;) {
      const { rowCount } = await this.#options.pool.query(BEGIN, [requestId, workerId, now, now + BUSY_MS]);
      if (rowCount === 1) return 'begun';
      const { rows } = await this.#options.pool.query<{ worker_id: string }>(BOUND_TO, [requestId, now]);
      // Without a row the holder let go between the two statements.
      if (rows[0]) return rows[0].worker_id === workerId ? 'in-progress' : 'other-worker';
    }
  }

  /** The call is over; the id belongs to its worker until `boundUntil` (epoch milliseconds) and as long as it holds leases. */
  async finish({ requestId, boundUntil }: { readonly requestId: string; readonly boundUntil: number }): Promise<void> {
    await this.#options.pool.query('UPDATE lease_requests SET busy_until = 0, bound_until = $2 WHERE request_id = $1', [
      requestId,
      boundUntil,
    ]);
  }

  /** The jobs that are running under a claim of this request. */
  held(requestId: string): Promise<readonly RunningJob[]> {
    return this.#options.dueJobs.held(requestId);
  }

  async #prune(now: number): Promise<void> {
    if (now - this.#prunedAt < PRUNE_EVERY_MS) return;
    this.#prunedAt = now;
    await this.#options.pool.query(PRUNE, [now]);
  }
}
