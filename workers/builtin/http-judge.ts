import type { JsonObject } from '#domain/json/value';
import { JobError } from '../job-error.ts';
import type { HttpAnswer } from './http-exchange.ts';

const SHOWN_BODY = 500;
/** A server that asks for more patience than a day is not taken at its word. */
const LONGEST_RETRY_AFTER_SECONDS = 86_400;
const KEPT_HEADERS = ['content-type', 'content-length', 'date', 'etag', 'last-modified', 'location'];

/**
 * The result of an answer with 2xx.
 * @param now - Epoch milliseconds, for a Retry-After that names an instant.
 * @throws JobError for any other answer: 429 and 5xx may be tried again, when the server says so (429, 503) at the time
 * it says; nothing else helps by being repeated.
 */
export function judgeAnswer(answer: HttpAnswer, now: number): JsonObject {
  const { status, headers, body, truncated } = answer;
  if (status >= 200 && status < 300) {
    const kept = KEPT_HEADERS.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : []));
    return { status, headers: Object.fromEntries(kept), body, truncated };
  }
  const asksToWait = status === 429 || status === 503;
  const retryAfterSeconds = asksToWait ? parseRetryAfter(headers['retry-after'], now) : null;
  throw new JobError(`The server answered ${status}${body && `: ${body.slice(0, SHOWN_BODY)}`}`, {
    code: `http-${status}`,
    retryable: status === 429 || status >= 500,
    ...(retryAfterSeconds !== null && { retryAfterSeconds }),
  });
}

/** Seconds from now of a Retry-After header (seconds, or an HTTP date); null when it says nothing usable. */
export function parseRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const text = value.trim();
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000;
  return Number.isNaN(seconds) ? null : Math.min(LONGEST_RETRY_AFTER_SECONDS, Math.max(0, seconds));
}
