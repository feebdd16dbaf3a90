import { HoldfastApiError } from './errors.ts';
import type { Problem } from './types.ts';

/** The error of an answer that refuses. What is no problem document (a proxy's page, say) gets one made of its status. */
export async function problemOf(response: Response): Promise<HoldfastApiError> {
  const body: unknown = await response.json().catch(() => null);
  return new HoldfastApiError(isProblem(body) ? body : madeOf(response), {
    requestId: response.headers.get('request-id'),
    retryAfterSeconds: retryAfterSeconds(response.headers.get('retry-after')),
  });
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string';
}

function madeOf({ status, statusText }: Response): Problem {
  return {
    type: 'about:blank',
    title: statusText || `HTTP ${status}`,
    status,
    code: status === 503 ? 'unavailable' : `http-${status}`,
    detail: `the server answered ${status} without saying why`,
  };
}

function retryAfterSeconds(value: string | null): number | null {
  return value !== null && /^\d+$/.test(value) ? Number(value) : null;
}
