/*
 * What goes over the wire, as it goes over the wire: snake_case, instants as RFC 3339 text, null where a field does not apply. Servers may
 * add fields.
 */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export type JobStatus = 'pending' | 'running' | 'succeeded' | 'dead' | 'cancelled';

export type Retry =
  | { readonly strategy: 'fixed'; readonly delay_seconds: number; readonly jitter: number }
  | {
      readonly strategy: 'linear';
      readonly base_seconds: number;
      readonly cap_seconds: number;
      readonly jitter: number;
    }
  | {
      readonly strategy: 'exponential';
      readonly base_seconds: number;
      readonly factor: number;
      readonly cap_seconds: number;
      readonly jitter: number;
    }
  | { readonly strategy: 'list'; readonly delays_seconds: number[]; readonly jitter: number };

export interface JobError {
  readonly message: string;
  readonly code: string | null;
  readonly stack: string | null;
  readonly retryable: boolean;
  readonly why: 'error' | 'timeout' | 'lease-expired';
  readonly attempt: number;
  readonly at: string;
}

/** What lists leave out unless `include` names it. */
export interface JobContent {
  readonly payload: JsonObject;
  readonly result: Json;
  readonly progress: Json;
  readonly checkpoint: Json;
}

export interface JobFacts {
  readonly id: string;
  readonly type: string;
  readonly queue: string;
  readonly status: JobStatus;
  readonly version: number;
  readonly priority: number;
  readonly tags: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly scheduled_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly expires_at: string | null;
  readonly lease_seconds: number;
  readonly timeout_seconds: number | null;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly crashes: number;
  readonly max_crashes: number;
  readonly releases: number;
  readonly replays: number;
  readonly fencing_token: number;
  readonly lease: { readonly worker_id: string; readonly expires_at: string } | null;
  readonly cancel: { readonly requested_at: string; readonly actor: string; readonly reason: string | null } | null;
  readonly retry: Retry;
  readonly last_error: JobError | null;
  readonly dead_reason: 'attempts' | 'not-retryable' | 'crashes' | null;
  readonly acknowledged: boolean;
  readonly idempotency_key: string | null;
  readonly concurrency_key: string | null;
  readonly unique: JsonObject | null;
  readonly origin: {
    readonly kind: 'api' | 'schedule' | 'replay-as-new';
    readonly schedule: string | null;
    readonly occurrence_at: string | null;
    readonly job_id: string | null;
  };
}

export type Job = JobFacts & JobContent;
export type ListedJob = JobFacts & Partial<JobContent>;

/** The body of a submit. */
export interface SubmitJob {
  readonly type?: string;
  readonly queue?: string;
  readonly payload?: JsonObject;
  readonly priority?: number;
  readonly scheduled_at?: string;
  readonly delay_seconds?: number;
  readonly max_attempts?: number;
  readonly max_crashes?: number;
  /** With the defaults left out if wanted. */
  readonly retry?: JsonObject;
  readonly lease_seconds?: number;
  readonly timeout_seconds?: number | null;
  readonly tags?: readonly string[];
}

export interface BulkItem extends SubmitJob {
  readonly idempotency_key?: string;
}
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
  readonly job: ListedJob | null;
  readonly problem: Problem | null;
}

export interface BulkAnswer {
  readonly created: number;
  readonly refused: number;
  readonly results: readonly BulkResult[];
}

export interface JobEvent {
  readonly version: number;
  readonly type: string;
  readonly recorded_at: string;
  readonly position: string;
  readonly data: JsonObject;
  readonly metadata: JsonObject & { readonly event_id: string; readonly actor: string };
}

export interface Queue {
  readonly name: string;
  readonly version: number;
  readonly paused: boolean;
  readonly depth: Readonly<Record<Job['status'], number>>;
  readonly due: number;
  readonly oldest_due_at: string | null;
  readonly oldest_due_seconds: number | null;
  readonly rates: { readonly submitted: number; readonly started: number; readonly finished: number };
}

export interface Worker {
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

export interface Projection {
  readonly name: string;
  readonly state: 'live' | 'catching-up' | 'paused' | 'failed';
  readonly generation: number;
  /** Null before the first event. */
  readonly position: string | null;
  readonly lag_events: number;
  readonly lag_seconds: number;
  readonly parked_streams: number;
  readonly rebuild: JsonObject | null;
}

export interface Explanation {
  readonly job_id: string;
  readonly status: Job['status'];
  readonly code: string;
  readonly message: string;
  readonly until: string | null;
  readonly causes: readonly JsonObject[];
}

export interface Readiness {
  readonly status: string;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string | null }[];
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

export interface JobQuery {
  /** Any of them. */
  readonly status?: readonly JobStatus[];
  readonly queue?: readonly string[];
  readonly type?: readonly string[];
  /** All of them. */
  readonly tag?: readonly string[];
  /** RFC 3339, inclusive. */
  readonly createdAfter?: string;
  /** RFC 3339, exclusive. */
  readonly createdBefore?: string;
  readonly limit?: number;
  readonly cursor?: string;
  readonly sort?: '-created_at' | 'created_at' | 'scheduled_at' | '-updated_at';
  /** What lists leave out otherwise. */
  readonly include?: readonly (keyof JobContent)[];
  /** Waits until the list shows what was written up to this position. */
  readonly minPosition?: string;
  readonly acknowledged?: boolean;
}

/** Each may repeat: any of them. */
export interface FeedFilter {
  readonly queue?: readonly string[];
  readonly type?: readonly string[];
  readonly event?: readonly string[];
  readonly actor?: readonly string[];
}

export interface FeedQuery extends FeedFilter {
  /** Position to go on after; absent: from the beginning of the log. */
  readonly after?: string;
}
