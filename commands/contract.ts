import type { JobCommand, Rejection } from '#domain/job/commands';
import type { JobOrigin } from '#domain/job/events';
import type { Job, RunningJob } from '#domain/job/state';
import type { SubmitRequest } from '#domain/job/submit';
import type { JsonValue } from '#domain/json/value';
import type { Position, RecordedEvent } from '#log/port';

/** Who asks, and how the request is traced. It ends up in the metadata of every event. */
export interface Call {
  /** `key:<id>`, `worker:<id>`, `system:<part>`, `anonymous`. */
  readonly actor: string;
  readonly requestId?: string;
  readonly traceparent?: string;
}

/** A job as it is after a call, and the position of the last event that was written or read for the answer. */
export interface JobAt {
  readonly job: Job;
  readonly position: Position;
}

export interface SubmitItem {
  /** Parsed by `parseSubmit`. */
  readonly request: SubmitRequest;
  /** The request as it was sent, before defaults: what the fingerprint is taken of. */
  readonly sent: JsonValue;
  readonly idempotencyKey: string | null;
  /** Default: submitted by the API. */
  readonly origin?: JobOrigin;
}

/**
 * `created`: a new job. `replayed`: the key was used for the same request; the job as it is now. `conflict`: the key was
 * used for another request; the job that has it.
 */
export interface SubmitOutcome extends JobAt {
  readonly kind: 'created' | 'replayed' | 'conflict';
}

export interface CommandItem {
  readonly jobId: string;
  readonly command: JobCommand;
  /** Refused with `version-mismatch` when the job's version is another one (`If-Match`). */
  readonly ifVersion?: number;
}

export type CommandOutcome =
  | (JobAt & {
      readonly kind: 'done';
      /** False when it was so already and nothing was written. */
      readonly changed: boolean;
    })
  | (JobAt & { readonly kind: 'rejected'; readonly rejection: Rejection | { readonly code: 'version-mismatch' } })
  | { readonly kind: 'not-found' }
  | Failed;

/**
 * One of several could not be carried out and the others were: this version cannot read the job's stream, the log refused
 * the events' data, or other writers moved the job again and again. Nothing was written for it.
 */
export interface Failed {
  readonly kind: 'failed';
  readonly error: Error;
}

export interface ClaimRequest {
  /** Null means any. */
  readonly queues: readonly string[] | null;
  readonly types: readonly string[] | null;
  readonly workerId: string;
  /** 1 to 100 through the API; workers in process may ask for more. */
  readonly maxJobs: number;
  /** Replaces the job's own for this claim. */
  readonly leaseSeconds: number | null;
  readonly requestId: string | null;
}

export type ClaimOutcome =
  | {
      readonly kind: 'claimed';
      readonly jobs: readonly RunningJob[];
      /** Of the last event written or read; null when nothing was due. */
      readonly position: Position | null;
      /** When the next job that is not due yet will be, in epoch milliseconds; null when none waits. */
      readonly nextDueAt: number | null;
    }
  | { readonly kind: 'in-progress' }
  /** The request id belongs to another worker. */
  | { readonly kind: 'request-id-reused' };

/** Everything that writes: each call reads, folds, decides, appends and answers. */
export interface Commands {
  /**
   * Submits jobs, each judged alone, answering in order.
   * @throws UnreadableEvent, IllegalHistory when the job that holds a key cannot be read; submits without a key have gone in.
   */
  submit(items: readonly SubmitItem[], call: Call): Promise<readonly SubmitOutcome[]>;
  /** Submits all jobs in one transaction, or none of them. */
  submitAtomically(items: readonly SubmitItem[], call: Call): Promise<AtomicSubmitOutcome>;
  /** Runs commands on existing jobs, each judged alone, answering in order. Several commands on one job run in turn. */
  execute(items: readonly CommandItem[], call: Call): Promise<readonly CommandOutcome[]>;
  /** Replays a dead job with another payload: a new job that names the old one. */
  replayAsNew(jobId: string, changes: ReplayAsNew, call: Call): Promise<CommandOutcome>;
  /** Picks due jobs and claims them for a worker. */
  claim(request: ClaimRequest, call: Call): Promise<ClaimOutcome>;
  /** Ends leases that are over. @returns How many jobs were moved. */
  sweep(): Promise<number>;
  /** The job folded from its stream, up to a version or an instant (inclusive) when given; null when there is none (yet). */
  read(jobId: string, upTo?: { readonly version?: number; readonly asOf?: number }): Promise<JobAt | null>;
  /** Many jobs folded from their streams, by id; one that does not exist or cannot be folded is left out. */
  readMany(jobIds: readonly string[]): Promise<ReadonlyMap<string, Job>>;
  /** A page of the job's events from a version on, oldest first; null when there is no such job. */
  history(
    jobId: string,
    page: { readonly from: number; readonly limit: number },
  ): Promise<readonly RecordedEvent[] | null>;
  /** Records that a worker process is there, or leaves. */
  workerStarted(worker: WorkerFacts, call: Call): Promise<Position>;
  workerStopped(workerId: string, call: Call): Promise<Position>;
}

export type AtomicSubmitOutcome =
  | { readonly kind: 'written'; readonly outcomes: readonly SubmitOutcome[] }
  /** At least one key was used for another request, by a job or, where `job` is null, by an earlier item; nothing was written. */
  | { readonly kind: 'refused'; readonly conflicts: readonly { readonly index: number; readonly job: Job | null }[] };

export interface ReplayAsNew {
  readonly payload: SubmitRequest['payload'];
  readonly maxAttempts: number | null;
  readonly reason: string | null;
}

export interface WorkerFacts {
  readonly workerId: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly queues: readonly string[] | null;
  readonly types: readonly string[] | null;
  readonly concurrency: number;
}
