import type { BulkResult, Job, JobEvent, JobQuery, JsonObject, ListedJob, SubmitJob } from '#client/types';
import type { Worker, WorkerOptions } from '#workers/worker';

export interface KeyedSubmit {
  readonly request: SubmitJob;
  readonly idempotencyKey: string | null;
}

/** What a worker of the library is told; where it claims from is the backend's own. */
export type BackendWorkerOptions = Pick<
  WorkerOptions,
  'jobs' | 'queues' | 'concurrency' | 'pollMs' | 'shutdownSeconds' | 'workerId'
>;

export interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

/**
 * What the library calls: the commands in this process, or a server. Both take and give the API's own shapes, so that
 * the library's own are made in one place. Errors are turned into `HoldfastError` by the library.
 */
export interface Backend {
  submit(submit: KeyedSubmit): Promise<Job>;
  /** Each judged alone; results in order. */
  submitMany(submits: readonly KeyedSubmit[]): Promise<readonly BulkResult[]>;
  get(id: string, query: { version?: number; asOf?: Date; waitSeconds?: number }): Promise<Job>;
  list(query: JobQuery): Promise<Page<ListedJob>>;
  events(id: string, page: { limit?: number; cursor?: string }): Promise<Page<JobEvent>>;
  cancel(id: string, reason: string | null): Promise<Job>;
  acknowledge(id: string, reason: string | null): Promise<Job>;
  replay(
    id: string,
    changes: { reason: string | null; maxAttempts: number | null; payload: JsonObject | null },
  ): Promise<Job>;
  reschedule(id: string, changes: { scheduled_at?: string; delay_seconds?: number; priority?: number }): Promise<Job>;
  startWorker(options: BackendWorkerOptions): Promise<Worker>;
  close(): Promise<void>;
}
