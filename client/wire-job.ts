/*
 * Jobs as they are on the wire: snake_case, instants as RFC 3339 text, null where a field does not apply. Servers may
 * add fields.
 */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export type WireJobStatus = 'pending' | 'running' | 'succeeded' | 'dead' | 'cancelled';

export type WireRetry =
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
  | { readonly strategy: 'list'; readonly delays_seconds: readonly number[]; readonly jitter: number };

export interface WireError {
  readonly message: string;
  readonly code: string | null;
  readonly stack: string | null;
  readonly retryable: boolean;
  readonly why: 'error' | 'timeout' | 'lease-expired';
  readonly attempt: number;
  readonly at: string;
}

/** What lists leave out unless `include` names it. */
export interface WireJobContent {
  readonly payload: JsonObject;
  readonly result: Json;
  readonly progress: Json;
  readonly checkpoint: Json;
}

export interface WireJobFacts {
  readonly id: string;
  readonly type: string;
  readonly queue: string;
  readonly status: WireJobStatus;
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
  readonly retry: WireRetry;
  readonly last_error: WireError | null;
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

export type WireJob = WireJobFacts & WireJobContent;
export type WireListedJob = WireJobFacts & Partial<WireJobContent>;

/** The body of a submit. */
export interface WireSubmit {
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

export interface WireBulkItem extends WireSubmit {
  readonly idempotency_key?: string;
}
