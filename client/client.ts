import { type FollowOptions, filters, followFeed } from './feed.ts';
import { type Answer, type Request, Transport, type TransportOptions } from './transport.ts';
import type * as wire from './wire.ts';
import type { JsonObject, WireBulkItem, WireJob, WireJobStatus, WireListedJob, WireSubmit } from './wire-job.ts';

export interface SubmitAnswer {
  readonly job: WireJob;
  /** The key was used before for the same request; this is its job as it is now. */
  readonly replayed: boolean;
  /** For `min_position` of a query that must see it. */
  readonly position: string | null;
  /** No live worker serves the type. */
  readonly noWorker: boolean;
}

export interface ListQuery {
  readonly status?: readonly WireJobStatus[];
  readonly queue?: readonly string[];
  readonly type?: readonly string[];
  readonly tag?: readonly string[];
  readonly created_after?: string;
  readonly created_before?: string;
  readonly limit?: number;
  readonly cursor?: string;
  readonly sort?: '-created_at' | 'created_at' | 'scheduled_at' | '-updated_at';
  readonly include?: string;
  readonly min_position?: string;
  readonly acknowledged?: boolean;
}

export interface GetQuery {
  readonly version?: number;
  readonly as_of?: string;
  readonly min_position?: string;
  /** Seconds, 0 to 60: answered when the job is final, or then. */
  readonly wait?: number;
}

export interface FeedQuery extends wire.FeedFilter {
  readonly after?: string;
  readonly limit?: number;
  readonly wait?: number;
}

/** Every route of the server. Shapes are as on the wire. See `transport.ts` for the errors and what is repeated. */
export class HoldfastClient {
  readonly #transport: Transport;

  constructor(options: TransportOptions) {
    this.#transport = new Transport(options);
  }

  /** Repeated by itself after a lost answer only when it has a key, for only then it cannot make a second job. */
  async submit(job: WireSubmit, options: { idempotencyKey?: string } = {}): Promise<SubmitAnswer> {
    const { idempotencyKey } = options;
    const { status, headers, body } = await this.#transport.send<WireJob>({
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
      noWorker: headers.get('holdfast-warning') === 'no-worker',
    };
  }

  submitBulk(
    jobs: readonly WireBulkItem[],
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

  getJob(id: string, query: GetQuery = {}): Promise<WireJob> {
    return this.#get(job(id), { ...query }, query.wait);
  }

  listJobs(query: ListQuery = {}): Promise<wire.Page<WireListedJob>> {
    return this.#get('/v1/jobs', { ...query });
  }

  jobEvents(id: string, query: { limit?: number; cursor?: string } = {}): Promise<wire.Page<wire.WireEvent>> {
    return this.#get(`${job(id)}/events`, query);
  }

  explain(id: string): Promise<wire.Explanation> {
    return this.#get(`${job(id)}/explain`);
  }

  cancel(id: string, body: { reason?: string | null } = {}): Promise<WireJob> {
    return this.#post(`${job(id)}/cancel`, body);
  }

  /** With a payload the answer is the new job. */
  replay(
    id: string,
    body: { reason?: string | null; max_attempts?: number; payload?: JsonObject } = {},
  ): Promise<WireJob> {
    return this.#post(`${job(id)}/replay`, body);
  }

  reschedule(id: string, body: { scheduled_at?: string; delay_seconds?: number; priority?: number }): Promise<WireJob> {
    return this.#body({ method: 'PATCH', path: job(id), body, repeatable: false });
  }

  acknowledge(id: string, body: { reason?: string | null } = {}): Promise<WireJob> {
    return this.#post(`${job(id)}/acknowledge`, body);
  }

  /** Repeatable when it names a request_id: then the leases of a lost answer are given again. */
  lease(body: wire.LeaseRequest, signal?: AbortSignal): Promise<{ readonly leases: readonly wire.WireLease[] }> {
    return this.#body({
      method: 'POST',
      path: '/v1/leases',
      body,
      waitSeconds: body.wait_seconds ?? 0,
      repeatable: false,
      ...(signal && { signal }),
    });
  }

  heartbeat(id: string, body: wire.HeartbeatBody): Promise<wire.HeartbeatAnswer> {
    return this.#post(`${job(id)}/heartbeat`, body, true);
  }

  complete(id: string, body: wire.CompleteBody): Promise<WireJob> {
    return this.#post(`${job(id)}/complete`, body, true);
  }

  fail(id: string, body: wire.FailBody): Promise<WireJob> {
    return this.#post(`${job(id)}/fail`, body, true);
  }

  release(id: string, body: wire.ReleaseBody): Promise<WireJob> {
    return this.#post(`${job(id)}/release`, body, true);
  }

  outcomes(outcomes: readonly wire.WireOutcome[]): Promise<{ readonly results: readonly wire.OutcomeResult[] }> {
    return this.#post('/v1/leases/outcomes', { outcomes }, true);
  }

  queues(query: { cursor?: string; limit?: number; min_position?: string } = {}): Promise<wire.Page<wire.WireQueue>> {
    return this.#get('/v1/queues', query);
  }

  queue(name: string): Promise<wire.WireQueue> {
    return this.#get(`/v1/queues/${encodeURIComponent(name)}`);
  }

  workers(query: { cursor?: string; limit?: number } = {}): Promise<wire.Page<wire.WireWorker>> {
    return this.#get('/v1/workers', query);
  }

  projections(): Promise<wire.Page<wire.WireProjection>> {
    return this.#get('/v1/projections');
  }

  /** One page of the feed; `wait` holds the call until there is something. */
  events({ after, limit, wait, queue, type, event, actor }: FeedQuery = {}): Promise<wire.FeedPage> {
    return this.#get('/v1/events', { after, limit, wait, ...filters({ queue, type, event, actor }) }, wait);
  }

  /** The feed as it comes; see `followFeed`. */
  followEvents(options: FollowOptions): AsyncGenerator<wire.CloudEvent, void, void> {
    return followFeed(this.#transport, options);
  }

  healthz(): Promise<wire.Health> {
    return this.#get('/healthz');
  }

  /** Answers also when the server is not ready: then `status` says so. */
  readyz(): Promise<wire.Health> {
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

export function createClient(options: TransportOptions): HoldfastClient {
  return new HoldfastClient(options);
}

function job(id: string): string {
  return `/v1/jobs/${encodeURIComponent(id)}`;
}
