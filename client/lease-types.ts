import type { Job, Json, ListedJob, Problem } from './types.ts';

/* What a worker says and hears over the wire. */

export interface LeaseRequest {
  readonly worker_id: string;
  readonly queues?: readonly string[];
  readonly types?: readonly string[];
  readonly max_jobs?: number;
  readonly lease_seconds?: number;
  readonly wait_seconds?: number;
  readonly request_id?: string;
}

export interface Lease {
  readonly job: Job;
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

export type Outcome = { readonly job_id: string } & (
  | ({ readonly action: 'complete' } & CompleteBody)
  | ({ readonly action: 'fail' } & FailBody)
  | ({ readonly action: 'release' } & ReleaseBody)
  | ({ readonly action: 'heartbeat' } & HeartbeatBody)
);

export interface OutcomeResult {
  readonly index: number;
  readonly job?: ListedJob | null;
  readonly problem?: Problem | null;
}
