import type { WorkerFacts } from '#commands/contract';
import type { JobStatus } from '#domain/job/state';
import type { JobView, LargeField } from '#domain/job/view';

/*
 * What the API reads from. `bin` wires the log and the read tables to it, so that this folder knows neither.
 */

export type Position = string;

/** An event as the log keeps it. */
export interface StoredEvent {
  readonly id: string;
  readonly stream: string;
  readonly version: number;
  readonly position: Position;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: {
    readonly schema_version: number;
    readonly actor: string;
    readonly request_id?: string;
    readonly $correlationId?: string;
    readonly $causationId?: string;
    readonly traceparent?: string;
  };
  /** Epoch milliseconds. */
  readonly recordedAt: number;
}

export interface FeedPage {
  readonly events: readonly StoredEvent[];
  /** Where the next page begins. */
  readonly next: Position;
}

/** The reading half of the event log. A refused position throws an error named `ForeignPosition`. */
export interface FeedLog {
  readAll(after: Position | null, limit: number): Promise<FeedPage>;
  readStream(stream: string, options: { readonly limit: number }): Promise<readonly StoredEvent[]>;
  head(): Promise<Position>;
  checkPosition(position: string): Promise<Position>;
  subscribe(options: { after: Position | null; pageSize: number; signal: AbortSignal }): AsyncIterable<FeedPage>;
}

export const JOB_SORTS = ['-created_at', 'created_at', 'scheduled_at', '-updated_at'] as const;

export interface ListJobsQuery {
  readonly filters: {
    /** Any of them; empty means all. */
    readonly status: readonly JobStatus[];
    readonly queue: readonly string[];
    readonly type: readonly string[];
    /** All of them. */
    readonly tags: readonly string[];
    /** Epoch milliseconds; inclusive. */
    readonly createdAfter: number | null;
    /** Exclusive. */
    readonly createdBefore: number | null;
    readonly acknowledged: boolean | null;
  };
  readonly sort: (typeof JOB_SORTS)[number];
  readonly limit: number;
  readonly cursor: string | null;
  readonly include: readonly LargeField[];
}

/** A job as lists show it; the large fields are there when they were asked for. */
export type ListedJob = Omit<JobView, LargeField> & Partial<Pick<JobView, LargeField>>;

/** The read tables. Instants are epoch milliseconds. */
export interface Reads {
  /** @throws an error named `BadCursor` for a changed, cut or foreign cursor. */
  listJobs(query: ListJobsQuery): Promise<{ readonly rows: readonly ListedJob[]; readonly nextCursor: string | null }>;
  queueViews(now: number): Promise<readonly object[]>;
  /** A queue that was never used has zeros. */
  queueView(name: string, now: number): Promise<object>;
  workerViews(now: number): Promise<readonly object[]>;
  projectionViews(now: number): Promise<readonly object[]>;
  /** Whether a live worker takes jobs of this queue and type. */
  isServed(queue: string, type: string, now: number): Promise<boolean>;
  /** Marks a worker as seen. */
  touchWorkers(workers: readonly SeenWorker[]): Promise<void>;
  /** The position up to which these tables are filled; null before the first event. */
  positionOf(tables: readonly TableName[]): Promise<Position | null>;
  /** True once the tables are filled up to a position, false when that took too long. */
  waitForPosition(
    tables: readonly TableName[],
    position: Position,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<boolean>;
}

/** Names of the projections that fill the tables. */
export type TableName = 'jobs' | 'workers' | 'due_jobs';

export interface SeenWorker extends Pick<WorkerFacts, 'workerId' | 'queues' | 'types'> {
  /** It takes no new jobs. */
  readonly stopping?: boolean;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** One dependency that readiness asks. Resolves when it is well, rejects with a reason otherwise. */
export interface ReadinessCheck {
  readonly name: string;
  check(): Promise<void>;
}

export interface VersionInfo {
  readonly version: string;
  readonly node: string;
  /** Number of the last migration. */
  readonly schema: number;
  readonly log: string;
}
