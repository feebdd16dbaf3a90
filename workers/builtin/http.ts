import type { Clock } from '#runtime/clock';
import type { JobContext } from '../context.ts';
import { type AnyJobDefinition, defineJob } from '../define-job.ts';
import { isJobError, JobError } from '../job-error.ts';
import { type AddressGuard, createAddressGuard } from './address-guard.ts';
import type { HttpCall } from './http-exchange.ts';
import { type HttpInput, httpInput } from './http-input.ts';
import { judgeAnswer } from './http-judge.ts';
import { exchangeFollowing } from './http-redirects.ts';

const DEFAULT_TIMEOUT_SECONDS = 30;

export interface HttpJobOptions {
  /** Hosts in private networks that may be called. */
  readonly allow: readonly string[];
  readonly clock: Clock;
  /** For tests that answer DNS themselves. */
  readonly guard?: AddressGuard;
}

/** The job type that makes one HTTP call and keeps the answer as its result: {status, headers, body, truncated}. */
export function createHttpJob({ allow, clock, guard = createAddressGuard(allow) }: HttpJobOptions): AnyJobDefinition {
  return defineJob({
    type: 'http',
    input: httpInput,
    async run(ctx, input) {
      const seconds = input.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS;
      const timeout = AbortSignal.timeout(seconds * 1000);
      try {
        const signal = AbortSignal.any([ctx.signal, timeout]);
        return judgeAnswer(await exchangeFollowing(callOf(ctx, input), guard, signal), clock.now());
      } catch (error) {
        ctx.signal.throwIfAborted();
        if (timeout.aborted) throw new JobError(`No whole answer within ${seconds} s`, { code: 'http-timeout' });
        throw refusedAddress(error) ?? error;
      }
    },
  });
}

function callOf(ctx: JobContext, { method, url, headers = {}, body }: HttpInput): HttpCall {
  const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    method: method ?? (text === null ? 'GET' : 'POST'),
    url: new URL(url),
    headers: {
      ...(text !== null && {
        'content-type': typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json',
      }),
      'user-agent': 'holdfast',
      // The same for every attempt, so that a receiver can drop a repeat; the token tells which attempt is the latest.
      'idempotency-key': ctx.job.id,
      ...Object.fromEntries(given),
      'holdfast-job-id': ctx.job.id,
      'holdfast-attempt': String(ctx.attempt),
      'holdfast-fencing-token': String(ctx.fencingToken),
    },
    body: text,
  };
}

/** With several addresses to choose from, Node wraps the guard's refusal. */
function refusedAddress(error: unknown): JobError | null {
  if (isJobError(error)) return error;
  const parts: unknown[] = error instanceof AggregateError ? error.errors : [];
  return parts.find(isJobError) ?? null;
}
