import type { Job, RunningJob } from '#domain/job/state';

/** A job that its table proposes, folded up to `job.version`. The append decides whether that is still true. */
export interface Candidate {
  readonly job: Job;
}

/** Which jobs a worker wants: null means any. */
export interface PickRequest {
  readonly queues: readonly string[] | null;
  readonly types: readonly string[] | null;
  readonly limit: number;
  /** Epoch milliseconds by the one clock. */
  readonly now: number;
}

export interface Picked {
  readonly candidates: readonly Candidate[];
  /** When the next job that is not due yet will be, in epoch milliseconds; null when there is none. */
  readonly nextDueAt: number | null;
  /** Whether leases are over that nobody has ended yet. */
  readonly hasOverdue: boolean;
}

/** The hot table of what may be claimed and which leases end when. `projections` implements it, `bin` wires it. */
export interface DueJobs {
  /** Pending jobs whose time has come, best rank first, each marked as offered for 2 s so that other pickers see others. */
  pick(request: PickRequest): Promise<Picked>;
  /** Running jobs whose lease, or whose grace after a cancel, is over. */
  overdue(now: number, limit: number): Promise<readonly Candidate[]>;
  /** A claim of these versions was refused: they are left alone until the row's version moves. */
  withhold(refused: readonly { readonly jobId: string; readonly version: number }[]): Promise<void>;
}

/** Lease requests by their `request_id`, so that a repeated call finds the leases of the first. */
export interface LeaseRequests {
  /** Reserves the id for this call. `other-worker`: it belongs to another worker_id, for its time or for a lease it holds. */
  begin(request: {
    requestId: string;
    workerId: string;
    now: number;
  }): Promise<'begun' | 'in-progress' | 'other-worker'>;
  /** The call is over; the id stays bound to its worker until `boundUntil` (epoch milliseconds). */
  finish(request: { requestId: string; boundUntil: number }): Promise<void>;
  /** The jobs that are running under a claim of this request. */
  held(requestId: string): Promise<readonly RunningJob[]>;
}
