import { JobError } from '../job-error.ts';
import type { AddressGuard } from './address-guard.ts';
import { exchange, type HttpAnswer, type HttpCall } from './http-exchange.ts';

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Meant for the origin they were sent to, and for nobody it points at. */
const SECRET_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization']);

/** An exchange with redirects followed, each judged by the guard as the first call was. */
export async function exchangeFollowing(
  first: HttpCall,
  guard: AddressGuard,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  let call = first;
  for (let followed = 0; ; followed += 1) {
    const answer = await exchange(call, guard, signal);
    const { location } = answer.headers;
    if (!REDIRECTS.has(answer.status) || location === undefined) return answer;
    if (followed === MAX_REDIRECTS) {
      throw new JobError(`More than ${MAX_REDIRECTS} redirects`, { code: 'too-many-redirects', retryable: false });
    }
    call = redirected(call, answer.status, location);
  }
}

function redirected(call: HttpCall, status: number, location: string): HttpCall {
  const url = URL.parse(location, call.url.href);
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new JobError(`The redirect to ${location} cannot be followed`, { code: 'bad-redirect', retryable: false });
  }
  const headers =
    url.origin === call.url.origin ? call.headers : without(call.headers, (name) => SECRET_HEADERS.has(name));
  const keepsMethod = status === 307 || status === 308 || call.method === 'GET' || call.method === 'HEAD';
  if (keepsMethod) return { ...call, url, headers };
  return { method: 'GET', url, headers: without(headers, (name) => name.startsWith('content-')), body: null };
}

function without(headers: HttpCall['headers'], drop: (name: string) => boolean): HttpCall['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !drop(name)));
}
