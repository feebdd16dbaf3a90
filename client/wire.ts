import type { Json, JsonObject, WireJob, WireListedJob } from './wire-job.ts';

/*
 * Everything else that goes over the wire. See `wire-job.ts` for the job itself.
 */

export interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

/** RFC 9457, with a stable `code`. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly instance?: string;
  readonly request_id?: string;
  readonly errors?: readonly FieldError[];
}

/** One bad field: `pointer` for bodies, `parameter` for queries, `header` for headers. */
export interface FieldError {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
  readonly detail: string;
}

export interface BulkResult {
  readonly index: number;
  readonly outcome: 'created' | 'replayed' | 'invalid' | 'conflict';
  readonly job: WireListedJob | null;
  readonly problem: Problem | null;
}

export interface BulkAnswer {
  readonly created: number;
  readonly refused: number;
  readonly results: readonly BulkResult[];
}

export interface WireEvent {
  readonly version: number;
  readonly type: string;
  readonly recorded_at: string;
  readonly position: string;
  readonly data: JsonObject;
  readonly metadata: JsonObject;
}

export interface LeaseRequest {
  readonly worker_id: string;
  readonly queues?: readonly string[];
  readonly types?: readonly string[];
  readonly max_jobs?: number;
  readonly lease_seconds?: number;
  readonly wait_seconds?: number;
  readonly request_id?: string;
}

export interface WireLease {
  readonly job: WireJob;
  readonly fencing_token: number;
  readonly lease_expires_at: string;
  readonly lease_seconds: number;
}

export interface HeartbeatAnswer {
  readonly lease_expires_at: string;
  readonly cancel_requested: boolean;
}

export interface FailBody {
  readonly fencing_token: number;
  readonly error: { readonly message: string; readonly code?: string | null; readonly stack?: string | null };
  readonly retryable?: boolean;
  readonly retry_after_seconds?: number | null;
}

export interface HeartbeatBody {
  readonly fencing_token: number;
  readonly progress?: Json;
  readonly checkpoint?: Json;
}

export interface CompleteBody {
  readonly fencing_token: number;
  readonly result?: Json;
}

export interface ReleaseBody {
  readonly fencing_token: number;
  readonly delay_seconds?: number;
  readonly reason?: string | null;
}

export type WireOutcome = { readonly job_id: string } & (
  | ({ readonly action: 'complete' } & CompleteBody)
  | ({ readonly action: 'fail' } & FailBody)
  | ({ readonly action: 'release' } & ReleaseBody)
  | ({ readonly action: 'heartbeat' } & HeartbeatBody)
);

export interface OutcomeResult {
  readonly index: number;
  readonly job?: WireListedJob | null;
  readonly problem?: Problem | null;
}

export interface WireQueue {
  readonly name: string;
  readonly version: number;
  readonly paused: boolean;
  readonly depth: Readonly<Record<WireJob['status'], number>>;
  readonly due: number;
  readonly oldest_due_at: string | null;
  readonly oldest_due_seconds: number | null;
  readonly rates: { readonly submitted: number; readonly started: number; readonly finished: number };
}

export interface WireWorker {
  readonly worker_id: string;
  readonly host: string | null;
  readonly pid: number | null;
  readonly version: string | null;
  readonly status: 'active' | 'quiet' | 'stopping' | 'gone';
  readonly queues: readonly string[] | null;
  readonly types: readonly string[] | null;
  readonly concurrency: number | null;
  readonly running: number;
  readonly last_seen_at: string;
}

export interface WireProjection {
  readonly name: string;
  readonly state: 'live' | 'catching-up' | 'paused' | 'failed';
  readonly generation: number;
  readonly position: string;
  readonly lag_events: number;
  readonly lag_seconds: number;
  readonly parked_streams: number;
  readonly rebuild: JsonObject | null;
}

export interface Explanation {
  readonly job_id: string;
  readonly status: WireJob['status'];
  readonly code: string;
  readonly message: string;
  readonly until: string | null;
  readonly causes: readonly JsonObject[];
}

export interface Health {
  readonly status: string;
  readonly checks?: readonly { readonly name: string; readonly ok: boolean; readonly detail: string | null }[];
}

export interface VersionAnswer {
  readonly version: string;
  readonly node: string;
  readonly schema: number | string;
  readonly log: string;
}

/** One entry of the feed; attributes that do not apply are absent. */
export interface CloudEvent {
  readonly specversion: string;
  readonly id: string;
  readonly source: string;
  /** `holdfast.job.claimed.v1`. */
  readonly type: string;
  /** The job's id. */
  readonly subject: string;
  readonly time: string;
  readonly position: string;
  readonly streamversion: number;
  readonly jobtype?: string;
  readonly queue?: string;
  readonly actor?: string;
  readonly correlationid?: string;
  readonly causationid?: string;
  readonly data: JsonObject;
}

export interface FeedPage {
  readonly data: readonly CloudEvent[];
  readonly next_after: string;
}

/** Each may repeat. */
export interface FeedFilter {
  readonly queue?: readonly string[];
  readonly type?: readonly string[];
  readonly event?: readonly string[];
  readonly actor?: readonly string[];
}
