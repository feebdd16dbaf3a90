import { HoldfastApiError, HoldfastUnreachable } from './errors.ts';
import { problemOf } from './problem.ts';
import { backoffMs, pause } from './retry.ts';

export interface TransportOptions {
  /** Of the server, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly apiKey?: string | null;
  /** For one answer, the time it was asked to wait not counted. Default 15 s. */
  readonly timeoutMs?: number;
}

export type QueryValue = string | number | boolean | readonly string[] | undefined;

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the server was asked to wait before it answers. */
  readonly waitSeconds?: number;
  /** Asked again when no answer or a 503 came. Only for what has the same effect when done twice. */
  readonly repeatable: boolean;
  /** Statuses beside 2xx whose body is an answer, not a problem. */
  readonly accept?: readonly number[];
  readonly signal?: AbortSignal;
}

export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

const DEFAULT_TIMEOUT_MS = 15_000;
const MAX_TRIES = 4;
/** A server that asks for more than this is left to the caller. */
const LONGEST_RETRY_AFTER_MS = 10_000;

/** One HTTP server, spoken to in JSON. */
export class Transport {
  readonly #base: URL;
  readonly #apiKey: string | null;
  readonly #timeoutMs: number;

  constructor({ url, apiKey = null, timeoutMs = DEFAULT_TIMEOUT_MS }: TransportOptions) {
    this.#base = new URL(url.endsWith('/') ? url : `${url}/`);
    this.#apiKey = apiKey;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * @throws HoldfastApiError for an answer that refuses.
   * @throws HoldfastUnreachable when no answer came in time.
   */
  async send<T>(request: Request): Promise<Answer<T>> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#once<T>(request);
      } catch (error) {
        const waitMs = waitBeforeRetry(error, tries);
        if (!request.repeatable || tries === MAX_TRIES || waitMs === null || request.signal?.aborted) throw error;
        await pause(waitMs, request.signal);
      }
    }
  }

  /** A streaming answer, its body not read. Only the wait for its headers is bounded. */
  async open(request: Request, signal: AbortSignal): Promise<Response> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(new Error('no answer in time')), this.#timeoutMs);
    try {
      const response = await this.#fetch(request, AbortSignal.any([signal, limit.signal]));
      if (!response.ok) throw await problemOf(response);
      return response;
    } finally {
      clearTimeout(timer);
    }
  }

  async #once<T>(request: Request): Promise<Answer<T>> {
    const timeout = AbortSignal.timeout(this.#timeoutMs + (request.waitSeconds ?? 0) * 1000);
    const response = await this.#fetch(request, request.signal ? AbortSignal.any([request.signal, timeout]) : timeout);
    if (!response.ok && !request.accept?.includes(response.status)) throw await problemOf(response);
    return { status: response.status, headers: response.headers, body: await this.#json<T>(response) };
  }

  async #fetch({ method, path, query, body, headers }: Request, signal: AbortSignal): Promise<Response> {
    const url = new URL(path.replace(/^\//, ''), this.#base);
    for (const [name, value] of Object.entries(query ?? {})) append(url.searchParams, name, value);
    try {
      return await fetch(url, {
        method,
        signal,
        redirect: 'error',
        headers: {
          accept: 'application/json',
          ...(this.#apiKey !== null && { authorization: `Bearer ${this.#apiKey}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    } catch (error) {
      throw new HoldfastUnreachable(`${this.#base.origin} did not answer: ${reasonOf(error)}`, { cause: error });
    }
  }

  async #json<T>(response: Response): Promise<T> {
    if (response.status === 204 || response.status === 304) return null as T;
    try {
      return (await response.json()) as T;
    } catch (error) {
      throw new HoldfastUnreachable(`the answer of ${this.#base.origin} broke off: ${reasonOf(error)}`, {
        cause: error,
      });
    }
  }
}

/** Milliseconds, or null when trying again is no use. */
function waitBeforeRetry(error: unknown, tries: number): number | null {
  if (error instanceof HoldfastUnreachable) return backoffMs(tries);
  if (!(error instanceof HoldfastApiError) || error.status !== 503) return null;
  const asked = (error.retryAfterSeconds ?? 0) * 1000;
  return asked > LONGEST_RETRY_AFTER_MS ? null : Math.max(asked, backoffMs(tries));
}

function append(params: URLSearchParams, name: string, value: QueryValue): void {
  if (value === undefined) return;
  for (const one of Array.isArray(value) ? value : [value]) params.append(name, String(one));
}

/** fetch hides what went wrong in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
