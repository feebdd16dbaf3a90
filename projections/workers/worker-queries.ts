import type { Pool } from 'pg';
import { toInstantText } from '#domain/instant';
import { loadSql } from '#runtime/postgres/sql';
import { FORGOTTEN_AFTER_MS } from './marks.ts';

export type { WorkerMark } from './marks.ts';

/**
 * `gone`: it said that it stopped, or gave no sign for five minutes. `quiet`: no sign for 30 seconds. `stopping`: it takes
 * no new jobs. `active`: everything else.
 */
export type WorkerStatus = 'active' | 'quiet' | 'stopping' | 'gone';

/** A worker as clients see it; what only its events tell is null for one that speaks REST alone. */
export interface WorkerView {
  readonly worker_id: string;
  readonly host: string | null;
  readonly pid: number | null;
  readonly version: string | null;
  readonly status: WorkerStatus;
  readonly queues: readonly string[] | null;
  readonly types: readonly string[] | null;
  readonly concurrency: number | null;
  readonly running: number;
  readonly last_seen_at: string;
}

interface ViewRow extends Omit<WorkerView, 'status' | 'last_seen_at'> {
  readonly stopping: boolean;
  readonly stopped_at: string | null;
  readonly last_seen_at: string;
}

const VIEWS = loadSql(import.meta.url, 'views.sql');
const QUIET_AFTER_MS = 30_000;
const GONE_AFTER_MS = 300_000;
const LATE_MARK_MS = 1000;

/** Workers of the last day, by id. `now` is epoch milliseconds by the one clock. */
export async function workerViews(pool: Pool, now: number): Promise<readonly WorkerView[]> {
  const { rows } = await pool.query<ViewRow>(VIEWS, [now - FORGOTTEN_AFTER_MS]);
  return rows.map(({ stopping, stopped_at, last_seen_at, ...row }) => {
    const seenAt = Number(last_seen_at);
    const stoppedAt = stopped_at === null ? null : Number(stopped_at);
    return { ...row, status: statusOf({ stopping, stoppedAt, seenAt }, now), last_seen_at: toInstantText(seenAt) };
  });
}

/** Whether a worker that was seen within 30 seconds, and is not stopping, takes jobs of this queue and type. */
export async function isServed(pool: Pool, job: { queue: string; type: string }, now: number): Promise<boolean> {
  const workers = await workerViews(pool, now);
  return workers.some(
    ({ status, queues, types }) =>
      status === 'active' &&
      (queues === null || queues.includes(job.queue)) &&
      (types === null || types.includes(job.type)),
  );
}

function statusOf(
  worker: { readonly stopping: boolean; readonly stoppedAt: number | null; readonly seenAt: number },
  now: number,
): WorkerStatus {
  const silentMs = now - worker.seenAt;
  // A mark well behind the stop is of another worker by the same name, one that speaks REST.
  if (worker.stoppedAt !== null && worker.stoppedAt + LATE_MARK_MS >= worker.seenAt) return 'gone';
  if (silentMs > GONE_AFTER_MS) return 'gone';
  if (silentMs > QUIET_AFTER_MS) return 'quiet';
  return worker.stopping ? 'stopping' : 'active';
}
