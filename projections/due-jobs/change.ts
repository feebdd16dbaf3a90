import { rank } from '#domain/job/rank';
import { dueAt, type Job } from '#domain/job/state';
import { encodeJobState } from '../job-state.ts';

/** What `due_jobs` says of a pending or running job. Instants are epoch milliseconds. */
export interface DueRow {
  readonly jobId: string;
  readonly version: number;
  readonly status: 'pending' | 'running';
  readonly queue: string;
  readonly type: string;
  /** Lower goes first. */
  readonly rank: number;
  /** Pending: the earliest start. Running: when the lease, or the grace after a cancel, is over. */
  readonly dueAt: number;
  /** Pending, and its time had come by its last event. A pick promotes the others when their time comes. */
  readonly ready: boolean;
  /** The lease call that holds it. */
  readonly requestId: string | null;
  /** JSON text of the folded job; null while the stream is so short that folding it costs less. */
  readonly state: string | null;
}

/** Held by a check of the table, too. */
const FIRST_KEPT_VERSION = 2;

/**
 * What becomes of a job's due row: the row, or null when the job is finished and has none. Pure, and the only place that
 * decides it: the append's hook and the projector both call it.
 */
export function dueChange(job: Job): DueRow | null {
  if (job.status !== 'pending' && job.status !== 'running') return null;
  return {
    jobId: job.id,
    version: job.version,
    status: job.status,
    queue: job.queue,
    type: job.type,
    rank: rank(job.scheduledAt, job.priority),
    dueAt: dueAt(job) as number,
    ready: job.status === 'pending' && job.scheduledAt <= job.updatedAt,
    requestId: job.status === 'running' ? job.lease.requestId : null,
    state: job.version < FIRST_KEPT_VERSION ? null : encodeJobState(job),
  };
}
