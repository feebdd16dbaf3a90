import type { JobList, ListRequest } from '#projections/jobs/list-queries';
import type { QueueView } from '#projections/jobs/queue-queries';
import type { ProjectionView } from '#projections/status/projection-queries';
import type { WorkerMark, WorkerView } from '#projections/workers/worker-queries';

/*
 * What the API reads from. `bin` wires the log and the queries of the read tables to it, so that this folder knows neither
 * the log nor a pool.
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

/** The read tables. Instants are epoch milliseconds. */
export interface Reads {
  /** @throws BadCursor */
  listJobs(request: ListRequest): Promise<JobList>;
  queueViews(now: number): Promise<readonly QueueView[]>;
  /** A queue that was never used has zeros. */
  queueView(name: string, now: number): Promise<QueueView>;
  workerViews(now: number): Promise<readonly WorkerView[]>;
  projectionViews(now: number): Promise<readonly ProjectionView[]>;
  /** Whether a live worker takes jobs of this queue and type. */
  isServed(queue: string, type: string, now: number): Promise<boolean>;
  /** Marks workers as seen, each at most once in a call. */
  touchWorkers(marks: readonly WorkerMark[]): Promise<void>;
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
