import type { Pool } from 'pg';
import { toInstantText } from '#domain/instant';
import type { JobStatus } from '#domain/job/state';
import { loadSql } from '#runtime/postgres/sql';

/** A queue as clients see it. */
export interface QueueView {
  readonly name: string;
  /** Version of the queue's own stream; -1 while nobody paused or limited it, since it has no stream then. */
  readonly version: number;
  readonly paused: boolean;
  readonly paused_by: string | null;
  readonly pause_reason: string | null;
  readonly concurrency: number | null;
  readonly concurrency_per_key: number | null;
  readonly rate_limit: {
    readonly limit: number;
    readonly period_seconds: number;
    readonly per: 'queue' | 'key';
  } | null;
  readonly slots_in_use: number;
  readonly depth: Readonly<Record<JobStatus, number>>;
  /** Pending jobs whose time has come; beyond 10,000 an estimate. */
  readonly due: number;
  readonly oldest_due_at: string | null;
  readonly oldest_due_seconds: number | null;
  /** Per second, over the last minute. */
  readonly rates: { readonly submitted: number; readonly started: number; readonly finished: number };
}

type QueueRow = { readonly queue: string; readonly oldest_due_at: string | null } & Readonly<
  Record<JobStatus | 'due' | 'submitted' | 'started' | 'finished', string>
>;

const QUEUES = loadSql(import.meta.url, 'queues.sql');
const WINDOW_SECONDS = 60;

/** Every queue that ever had a job, by name. `now` is epoch milliseconds by the one clock. */
export async function queueViews(pool: Pool, now: number): Promise<readonly QueueView[]> {
  const { rows } = await pool.query<QueueRow>(QUEUES, [null, now]);
  return rows.map((row) => queueView(row, now));
}

/** One queue. A valid name that was never used is an empty queue. */
export async function queueViewOf(pool: Pool, name: string, now: number): Promise<QueueView> {
  const { rows } = await pool.query<QueueRow>(QUEUES, [name, now]);
  return queueView(rows[0] ?? emptyQueue(name), now);
}

function queueView(row: QueueRow, now: number): QueueView {
  const oldest = row.oldest_due_at === null ? null : Number(row.oldest_due_at);
  return {
    name: row.queue,
    version: -1,
    paused: false,
    paused_by: null,
    pause_reason: null,
    concurrency: null,
    concurrency_per_key: null,
    rate_limit: null,
    slots_in_use: Number(row.running),
    depth: {
      pending: Number(row.pending),
      running: Number(row.running),
      succeeded: Number(row.succeeded),
      dead: Number(row.dead),
      cancelled: Number(row.cancelled),
    },
    due: Number(row.due),
    oldest_due_at: oldest === null ? null : toInstantText(oldest),
    oldest_due_seconds: oldest === null ? null : Math.max(0, (now - oldest) / 1000),
    rates: { submitted: perSecond(row.submitted), started: perSecond(row.started), finished: perSecond(row.finished) },
  };
}

function perSecond(count: string): number {
  return Math.round((Number(count) / WINDOW_SECONDS) * 1000) / 1000;
}

function emptyQueue(queue: string): QueueRow {
  const none = { pending: '0', running: '0', succeeded: '0', dead: '0', cancelled: '0', due: '0' };
  return { queue, ...none, oldest_due_at: null, submitted: '0', started: '0', finished: '0' };
}
