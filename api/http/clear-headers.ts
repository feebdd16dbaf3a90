import type { FastifyRequest } from 'fastify';
import { ApiProblem, invalidRequest } from '../problems/problem.ts';

/* Node keeps the first of some repeated headers and says nothing. Whoever stands before the server may take another one. */

/** @throws ApiProblem 400 unless there is exactly one `Host`; HTTP/1.0 has none. */
export function refuseUnclearHost({ raw }: FastifyRequest): void {
  const given = countOf(raw.rawHeaders, 'host');
  if (given > 1) throw invalidRequest([{ header: 'Host', detail: 'must be given once' }]);
  if (given === 0 && raw.httpVersion === '1.1') throw invalidRequest([{ header: 'Host', detail: 'is required' }]);
}

const ONCE = ['Authorization', 'Content-Type', 'Content-Encoding'].map((header) => ({
  header,
  lower: header.toLowerCase(),
}));

/** @throws ApiProblem when a header that decides how the request is read is there twice, or expects what nobody knows. */
export function refuseUnclearHeaders({ raw }: FastifyRequest): void {
  const repeated = ONCE.filter(({ lower }) => countOf(raw.rawHeaders, lower) > 1);
  if (repeated.length > 0)
    throw invalidRequest(repeated.map(({ header }) => ({ header, detail: 'must be given once' })));
  const { expect } = raw.headers;
  if (expect === undefined || /^100-continue$/i.test(expect)) return;
  throw new ApiProblem('invalid-request', 'This expectation cannot be met.', {
    status: 417,
    errors: [{ header: 'Expect', detail: 'must be 100-continue' }],
  });
}

/** Raw headers are names and values by turns. */
function countOf(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] as string;
    if (given.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count;
}
