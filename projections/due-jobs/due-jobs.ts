import type { Pool } from 'pg';
import type { Job, RunningJob } from '#domain/job/state';
import { int4Array, uuidArray } from '#runtime/postgres/arrays';
import { loadSql } from '#runtime/postgres/sql';
import { type DueRecord, jobsOf, type RecordReader } from './candidates.ts';
import { withSubmitted } from './submitted-source.ts';

export interface DueJobsOptions extends RecordReader {
  readonly pool: Pool;
  /** How long a picked row is kept from other pickers. Default 2,000. */
  readonly offerMs?: number;
}

interface PickRequest {
  readonly queues: readonly string[] | null;
  readonly types: readonly string[] | null;
  readonly limit: number;
  readonly now: number;
}

interface Picked {
  readonly candidates: readonly { readonly job: Job }[];
  readonly nextDueAt: number | null;
  readonly hasOverdue: boolean;
}

type PickRow = { [K in keyof DueRecord]: DueRecord[K] | null } & {
  readonly next_due_at: string | null;
  readonly has_overdue: boolean | null;
};

const OFFER_MS = 2000;
const WITHHOLD = loadSql(import.meta.url, 'withhold.sql');

/** The questions asked of `due_jobs`: the port that the commands pick through. Every answer is a proposal. */
export class DueJobsTable {
  readonly #options: DueJobsOptions;
  readonly #pick: string;
  readonly #overdue: string;
  readonly #held: string;

  constructor(options: DueJobsOptions) {
    this.#options = options;
    const { submitted } = options;
    const columns = 'due.job_id, due.version, due.state_format, due.state';
    this.#pick = withSubmitted(
      submitted,
      `${columns}, due.next_due_at, due.has_overdue`,
      'due_jobs_pick($1, $2, $3, $4, $5) AS due',
    );
    this.#overdue = withSubmitted(submitted, columns, 'due_jobs_overdue($1, $2, $3) AS due');
    this.#held = `${withSubmitted(submitted, columns, 'due_jobs AS due')}
      WHERE due.request_id = $1 ORDER BY due.rank, due.entered_position`;
  }

  /**
   * Pending jobs whose time has come, best rank first, marked as offered. `nextDueAt` is when the next job of all that
   * wait is due, also of queues and types that were not asked for; one in the past means that there is more to see.
   */
  async pick(request: PickRequest): Promise<Picked> {
    const { queues, types, limit, now } = request;
    const values = [queues, types, limit, now, this.#until(now)];
    const { rows } = await this.#options.pool.query<PickRow>({ name: 'due-pick', text: this.#pick, values });
    const records = rows.filter((row): row is PickRow & DueRecord => row.job_id !== null);
    const rest = rows.find((row) => row.job_id === null);
    const next = rest?.next_due_at ?? null;
    return {
      candidates: await this.#candidates(records),
      nextDueAt: next === null ? null : Number(next),
      hasOverdue: rest?.has_overdue === true,
    };
  }

  /** Running jobs whose lease, or whose grace after a cancel, is over, marked as offered. */
  async overdue(now: number, limit: number): Promise<readonly { job: Job }[]> {
    const values = [limit, now, this.#until(now)];
    const { rows } = await this.#options.pool.query<DueRecord>({ name: 'due-overdue', text: this.#overdue, values });
    return this.#candidates(rows);
  }

  /** Leaves rows of exactly these versions alone until they move. */
  async withhold(refused: readonly { readonly jobId: string; readonly version: number }[]): Promise<void> {
    if (refused.length === 0) return;
    const ids = uuidArray(refused.map(({ jobId }) => jobId));
    await this.#options.pool.query(WITHHOLD, [ids, int4Array(refused.map(({ version }) => version))]);
  }

  /** The jobs that are running under a claim of this lease call, in the order in which it got them. */
  async held(requestId: string): Promise<readonly RunningJob[]> {
    const { rows } = await this.#options.pool.query<DueRecord>(this.#held, [requestId]);
    const jobs = await jobsOf(rows, this.#options);
    return jobs.filter((job) => job.status === 'running' && job.lease.requestId === requestId) as RunningJob[];
  }

  async #candidates(records: readonly DueRecord[]): Promise<readonly { job: Job }[]> {
    return (await jobsOf(records, this.#options)).map((job) => ({ job }));
  }

  #until(now: number): number {
    return now + (this.#options.offerMs ?? OFFER_MS);
  }
}
