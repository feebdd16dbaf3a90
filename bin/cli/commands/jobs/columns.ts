import type { Job, ListedJob } from '#client/types';
import type { Column } from '../../table.ts';

export const LIST_COLUMNS: readonly Column<ListedJob>[] = [
  { title: 'ID', value: (job) => job.id },
  { title: 'STATUS', value: (job) => job.status },
  { title: 'TYPE', value: (job) => job.type },
  { title: 'QUEUE', value: (job) => job.queue },
  { title: 'ATTEMPT', value: (job) => `${job.attempt}/${job.max_attempts}`, align: 'right' },
  { title: 'CREATED', value: (job) => job.created_at },
  { title: 'SCHEDULED', value: (job) => job.scheduled_at },
];

/** The fields of one job, those that say nothing left out. */
export const JOB_FIELDS: readonly Column<Job>[] = [
  { title: 'id', value: (job) => job.id },
  { title: 'status', value: (job) => job.status },
  { title: 'type', value: (job) => job.type },
  { title: 'queue', value: (job) => job.queue },
  { title: 'priority', value: (job) => job.priority || null },
  { title: 'tags', value: (job) => job.tags.join(', ') },
  { title: 'attempt', value: (job) => `${job.attempt} of ${job.max_attempts}` },
  { title: 'crashes', value: (job) => job.crashes || null },
  { title: 'fencing_token', value: (job) => job.fencing_token },
  { title: 'version', value: (job) => job.version },
  { title: 'created_at', value: (job) => job.created_at },
  { title: 'scheduled_at', value: (job) => job.scheduled_at },
  { title: 'started_at', value: (job) => job.started_at },
  { title: 'finished_at', value: (job) => job.finished_at },
  { title: 'worker', value: (job) => job.lease?.worker_id },
  { title: 'lease_expires_at', value: (job) => job.lease?.expires_at },
  { title: 'cancel_requested_at', value: (job) => job.cancel?.requested_at },
  { title: 'dead_reason', value: (job) => job.dead_reason },
  { title: 'last_error', value: (job) => job.last_error?.message },
  { title: 'idempotency_key', value: (job) => job.idempotency_key },
  { title: 'payload', value: (job) => job.payload },
  { title: 'progress', value: (job) => job.progress },
  { title: 'result', value: (job) => job.result },
];

export const idOf = (job: { readonly id: string }): string => job.id;
