import { type FollowOptions, filters, followFeed } from './feed.ts';
import type * as lease from './lease-types.ts';
import { type Answer, type Request, Transport, type TransportOptions } from './transport.ts';
import type * as wire from './types.ts';
import type { BulkItem, FeedQuery, Job, JobQuery, JsonObject, ListedJob, SubmitJob } from './types.ts';

export interface SubmitAnswer {
  readonly job: Job;
  /** The key was used before for the same request; this is its job as it is now. */
  readonly replayed: boolean;
  /** For `min_position` of a query that must see it. */
  readonly position: string | null;
  /** `no-worker`: no live worker serves the type. */
  readonly warning: string | null;
}

export interface GetQuery {
  readonly version?: number;
  /** RFC 3339. */
  readonly asOf?: string;
  readonly minPosition?: string;
  /** Seconds, 0 to 60: answered when the job is final, or then. */
  readonly wait?: number;
}

/** Every route of the server. Shapes are as on the wire. See `transport.ts` for the errors and what is repeated. */
export class Client {
  readonly #transport: Transport;

  constructor(options: TransportOptions) {
    this.#transport = new Transport(options);
  }

  /** Repeated by itself after a lost answer only when it has a key, for only then it cannot make a second job. */
  async submitJob(job: SubmitJob, options: { idempotencyKey?: string } = {}): Promise<SubmitAnswer> {
    const { idempotencyKey } = options;
    const { status, headers, body } = await this.#transport.send<Job>({
      method: 'POST',
      path: '/v1/jobs',
      body: job,
      ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
      repeatable: idempotencyKey !== undefined,
    });
    return {
      job: body,
      replayed: status === 200,
      position: headers.get('holdfast-position'),
      warning: headers.get('holdfast-warning'),
    };
  }

  submitJobs(
    jobs: readonly BulkItem[],
    options: { atomic?: boolean; idempotencyKey?: string } = {},
  ): Promise<wire.BulkAnswer> {
    const { atomic, idempotencyKey } = options;
    return this.#body({
      method: 'POST',
      path: '/v1/jobs/bulk',
      body: { jobs, ...(atomic !== undefined && { atomic }) },
      ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
      repeatable: idempotencyKey !== undefined || jobs.every(({ idempotency_key }) => idempotency_key !== undefined),
    });
  }

  getJob(id: string, query: GetQuery = {}): Promise<Job> {
    const { version, asOf, minPosition, wait } = query;
    return this.#get(job(id), { version, as_of: asOf, min_position: minPosition, wait }, wait);
  }

  listJobs(query: JobQuery = {}): Promise<wire.Page<ListedJob>> {
    const { createdAfter, createdBefore, minPosition, include, ...rest } = query;
    return this.#get('/v1/jobs', {
      ...rest,
      created_after: createdAfter,
      created_before: createdBefore,
      min_position: minPosition,
      include: include?.join(','),
    });
  }

  jobEvents(id: string, query: { limit?: number; cursor?: string } = {}): Promise<wire.Page<wire.JobEvent>> {
    return this.#get(`${job(id)}/events`, query);
  }

  explain(id: string): Promise<wire.Explanation> {
    return this.#get(`${job(id)}/explain`);
  }

  cancelJob(id: string, body: { reason?: string | null } = {}): Promise<Job> {
    return this.#post(`${job(id)}/cancel`, body);
  }

  /** With a payload the answer is the new job. */
  replayJob(
    id: string,
    body: { reason?: string | null; max_attempts?: number; payload?: JsonObject } = {},
  ): Promise<Job> {
    return this.#post(`${job(id)}/replay`, body);
  }

  rescheduleJob(id: string, body: { scheduled_at?: string; delay_seconds?: number; priority?: number }): Promise<Job> {
    return this.#body({ method: 'PATCH', path: job(id), body, repeatable: false });
  }

  acknowledgeJob(id: string, body: { reason?: string | null } = {}): Promise<Job> {
    return this.#post(`${job(id)}/acknowledge`, body);
  }

  /** Repeatable when it names a request_id: then the leases of a lost answer are given again. */
  leaseJobs(body: lease.LeaseRequest, signal?: AbortSignal): Promise<{ readonly leases: readonly lease.Lease[] }> {
    return this.#body({
      method: 'POST',
      path: '/v1/leases',
      body,
      waitSeconds: body.wait_seconds ?? 0,
      repeatable: false,
      ...(signal && { signal }),
    });
  }

  heartbeat(id: string, body: lease.HeartbeatBody): Promise<lease.HeartbeatAnswer> {
    return this.#post(`${job(id)}/heartbeat`, body, true);
  }

  completeJob(id: string, body: lease.CompleteBody): Promise<Job> {
    return this.#post(`${job(id)}/complete`, body, true);
  }

  failJob(id: string, body: lease.FailBody): Promise<Job> {
    return this.#post(`${job(id)}/fail`, body, true);
  }

  releaseJob(id: string, body: lease.ReleaseBody): Promise<Job> {
    return this.#post(`${job(id)}/release`, body, true);
  }

  reportOutcomes(outcomes: readonly lease.Outcome[]): Promise<{ readonly results: readonly lease.OutcomeResult[] }> {
    return this.#post('/v1/leases/outcomes', { outcomes }, true);
  }

  listQueues(query: { cursor?: string; limit?: number; min_position?: string } = {}): Promise<wire.Page<wire.Queue>> {
    return this.#get('/v1/queues', query);
  }

  getQueue(name: string): Promise<wire.Queue> {
    return this.#get(`/v1/queues/${encodeURIComponent(name)}`);
  }

  listWorkers(query: { cursor?: string; limit?: number } = {}): Promise<wire.Page<wire.Worker>> {
    return this.#get('/v1/workers', query);
  }

  listProjections(): Promise<wire.Page<wire.Projection>> {
    return this.#get('/v1/projections');
  }

  /** One page of the feed; `wait` holds the call until there is something. */
  events({
    after,
    limit,
    wait,
    ...filter
  }: FeedQuery & { limit?: number; wait?: number } = {}): Promise<wire.FeedPage> {
    return this.#get('/v1/events', { after, limit, wait, ...filters(filter) }, wait);
  }

  /** The feed as it comes; see `followFeed`. */
  followEvents(options: FollowOptions = {}): AsyncGenerator<wire.CloudEvent, void, void> {
    return followFeed(this.#transport, options);
  }

  /**
   * A position that everything written from now on comes after: how far the list of jobs is. Null when that is still at
   * the beginning of the log.
   */
  async headPosition(): Promise<string | null> {
    const { headers } = await this.#transport.send({
      method: 'GET',
      path: '/v1/jobs',
      query: { limit: 1 },
      repeatable: true,
    });
    return headers.get('holdfast-position');
  }

  health(): Promise<{ readonly status: string }> {
    return this.#get('/healthz');
  }

  /** Answers also when the server is not ready: then `status` says so. */
  readiness(): Promise<wire.Readiness> {
    return this.#body({ method: 'GET', path: '/readyz', repeatable: false, accept: [503] });
  }

  version(): Promise<wire.VersionAnswer> {
    return this.#get('/version');
  }

  #get<T>(path: string, query: Request['query'] = {}, waitSeconds = 0): Promise<T> {
    return this.#body({ method: 'GET', path, query, waitSeconds, repeatable: true });
  }

  #post<T>(path: string, body: unknown, repeatable = false): Promise<T> {
    return this.#body({ method: 'POST', path, body, repeatable });
  }

  async #body<T>(request: Request): Promise<T> {
    const answer: Answer<T> = await this.#transport.send<T>(request);
    return answer.body;
  }
}

export function createClient(options: TransportOptions): Client {
  return new Client(options);
}

function job(id: string): string {
  return `/v1/jobs/${encodeURIComponent(id)}`;
}
