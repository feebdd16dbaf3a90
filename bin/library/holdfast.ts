import type { BulkResult, JobQuery, ListedJob } from '#client/types';
import { LARGE_FIELDS, type LargeField } from '#domain/job/view';
import type { JsonObject, JsonValue } from '#domain/json/value';
import type { AnyJobDefinition, JobDefinition } from '#workers/define-job';
import { requireDistinctTypes } from '#workers/handlers';
import { type JobSnapshot, jobSnapshot, snapshotFacts } from '#workers/job-snapshot';
import { makeWorkerId, type Worker } from '#workers/worker';
import type { Backend } from './backend.ts';
import { asHoldfastError, type HoldfastError, ofItemProblem } from './errors.ts';
import { eventSnapshot, type JobEvent } from './event-snapshot.ts';
import { type SubmitOptions, submitRequest } from './requests.ts';

/** A job as lists have it: without what may be large, unless it was asked for. */
export type ListedJobSnapshot = Omit<JobSnapshot, LargeField> & Partial<Pick<JobSnapshot, LargeField>>;

export interface ListOptions extends Omit<JobQuery, 'createdAfter' | 'createdBefore' | 'minPosition' | 'sort'> {
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
  readonly sort?: '-createdAt' | 'createdAt' | 'scheduledAt' | '-updatedAt';
}

export interface WorkerSettings {
  readonly jobs: readonly AnyJobDefinition[];
  /** Default: all. */
  readonly queues?: readonly string[];
  /** Handlers at once. Default 10. */
  readonly concurrency?: number;
  /** Default: made of host, process and chance. */
  readonly workerId?: string;
  /** The longest time between two looks for work. Default 1,000. */
  readonly pollMs?: number;
  /** How long `stop()` lets handlers end by themselves. Default 25. */
  readonly shutdownSeconds?: number;
}

/** `conflict`: the key was used for another request. Only `created` and `replayed` have a job. */
export interface SubmitManyResult {
  readonly outcome: BulkResult['outcome'];
  readonly job: ListedJobSnapshot | null;
  readonly error: HoldfastError | null;
}

/** One item of `submitMany`. */
export interface SubmitManyItem<Sent = JsonObject> {
  readonly job: JobDefinition<Sent, never> | { readonly type: string };
  readonly payload?: Sent;
  readonly options?: SubmitOptions;
}

const SORTS = {
  '-createdAt': '-created_at',
  createdAt: 'created_at',
  scheduledAt: 'scheduled_at',
  '-updatedAt': '-updated_at',
} as const;

/** The library's calls, the same in process and over HTTP. Every refusal is a `HoldfastError`. */
export class Holdfast {
  readonly #backend: Backend;
  readonly #workers = new Set<Worker>();

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Submits a job; with an `idempotencyKey` that was used for the same request, answers the job it made. */
  submit<Sent, Input>(job: JobDefinition<Sent, Input>, payload: Sent, options?: SubmitOptions): Promise<JobSnapshot>;
  submit(
    job: { readonly type: string; readonly run?: never },
    payload?: JsonObject,
    options?: SubmitOptions,
  ): Promise<JobSnapshot>;
  submit(
    job: AnyJobDefinition | { readonly type: string },
    payload?: unknown,
    options: SubmitOptions = {},
  ): Promise<JobSnapshot> {
    return this.#job((backend) => backend.submit(submitRequest(job, payload, options)));
  }

  /** Submits many jobs, each judged alone; results in order. */
  submitMany(
    items: readonly SubmitManyItem<never>[] | readonly SubmitManyItem[],
  ): Promise<readonly SubmitManyResult[]> {
    return this.#call(async (backend) => {
      const results = await backend.submitMany(
        items.map(({ job, payload, options = {} }) => submitRequest(job as { type: string }, payload, options)),
      );
      return results.map(({ outcome, job, problem }) => ({
        outcome,
        job: job && listedSnapshot(job),
        error: problem && ofItemProblem(problem),
      }));
    });
  }

  /** The job, now or as it was; `waitSeconds` (0 to 60) holds the answer until it is final. @throws not-found */
  get(id: string, query: { version?: number; asOf?: Date; waitSeconds?: number } = {}): Promise<JobSnapshot> {
    return this.#job((backend) => backend.get(id, query));
  }

  /** A page of jobs from the read tables, newest first. */
  list(options: ListOptions = {}): Promise<{ data: readonly ListedJobSnapshot[]; nextCursor: string | null }> {
    const { createdAfter, createdBefore, sort, ...rest } = options;
    return this.#call(async (backend) => {
      const { data, nextCursor } = await backend.list({
        ...rest,
        ...(createdAfter && { createdAfter: createdAfter.toISOString() }),
        ...(createdBefore && { createdBefore: createdBefore.toISOString() }),
        ...(sort && { sort: SORTS[sort] }),
      });
      return { data: data.map(listedSnapshot), nextCursor };
    });
  }

  /** A page of the job's events, oldest first. @throws not-found */
  events(
    id: string,
    page: { limit?: number; cursor?: string } = {},
  ): Promise<{ data: readonly JobEvent[]; nextCursor: string | null }> {
    return this.#call(async (backend) => {
      const { data, nextCursor } = await backend.events(id, page);
      return { data: data.map(eventSnapshot), nextCursor };
    });
  }

  /** A pending job is cancelled, a running one asked to stop. @throws not-found, already-final */
  cancel(id: string, { reason = null }: { reason?: string | null } = {}): Promise<JobSnapshot> {
    return this.#job((backend) => backend.cancel(id, reason));
  }

  /** Lets a dead job start over; with another payload it becomes a new job, which is the answer. @throws not-dead */
  replay(
    id: string,
    changes: { reason?: string | null; maxAttempts?: number; payload?: JsonObject } = {},
  ): Promise<JobSnapshot> {
    const { reason = null, maxAttempts = null, payload = null } = changes;
    return this.#job((backend) => backend.replay(id, { reason, maxAttempts, payload }));
  }

  /** Moves a pending job's start or priority; `delaySeconds: 0` means now. @throws not-pending */
  reschedule(
    id: string,
    changes: { scheduledAt?: Date; delaySeconds?: number; priority?: number },
  ): Promise<JobSnapshot> {
    const { scheduledAt, delaySeconds, priority } = changes;
    return this.#job((backend) =>
      backend.reschedule(id, {
        ...(scheduledAt && { scheduled_at: scheduledAt.toISOString() }),
        ...(delaySeconds !== undefined && { delay_seconds: delaySeconds }),
        ...(priority !== undefined && { priority }),
      }),
    );
  }

  /** Says that a dead job has been seen; it stays dead. @throws not-dead */
  acknowledge(id: string, { reason = null }: { reason?: string | null } = {}): Promise<JobSnapshot> {
    return this.#job((backend) => backend.acknowledge(id, reason));
  }

  /** Starts a worker for these jobs; in process, this process then also offers itself as projector and sweeper. */
  async startWorker(settings: WorkerSettings): Promise<Worker> {
    const { jobs, queues = null, workerId = makeWorkerId() } = settings;
    const { concurrency = 10, pollMs = 1000, shutdownSeconds = 25 } = settings;
    requireDistinctTypes(jobs, 'startWorker');
    const worker = await this.#backend.startWorker({ jobs, queues, workerId, concurrency, pollMs, shutdownSeconds });
    this.#workers.add(worker);
    return worker;
  }

  /** Stops what workers were started, then lets go of the database. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#workers, (worker) => worker.stop()));
    await this.#backend.close();
  }

  async #job(call: (backend: Backend) => ReturnType<Backend['submit']>): Promise<JobSnapshot> {
    return jobSnapshot(await this.#call(call));
  }

  async #call<T>(call: (backend: Backend) => Promise<T>): Promise<T> {
    try {
      return await call(this.#backend);
    } catch (error) {
      throw asHoldfastError(error);
    }
  }
}

function listedSnapshot(listed: ListedJob): ListedJobSnapshot {
  const snapshot: Partial<Record<LargeField, JsonValue>> & Omit<JobSnapshot, LargeField> = snapshotFacts(listed);
  for (const name of LARGE_FIELDS) {
    if (listed[name] !== undefined) snapshot[name] = listed[name];
  }
  return snapshot as ListedJobSnapshot;
}
