/**
 * Every problem code with its HTTP status and title. Codes are part of the contract; `docs/errors.md` and the pages below
 * `/docs/errors/` tell what each means and what to do.
 */
export const PROBLEMS = {
  'invalid-request': { status: 400, title: 'The request is not valid' },
  'not-supported-by-log': { status: 400, title: 'The event log in use cannot do this' },
  unauthorized: { status: 401, title: 'A key is needed' },
  forbidden: { status: 403, title: 'This is not allowed' },
  'not-found': { status: 404, title: 'There is nothing here' },
  'method-not-allowed': { status: 405, title: 'The method is not allowed here' },
  'idempotency-key-reused': { status: 409, title: 'The idempotency key was used for another request' },
  'lease-lost': { status: 409, title: 'The lease is no longer held' },
  'not-dead': { status: 409, title: 'The job is not dead' },
  'not-pending': { status: 409, title: 'The job is not pending' },
  'already-final': { status: 409, title: 'The job has ended already' },
  'unique-held': { status: 409, title: 'Another job holds the key' },
  'in-progress': { status: 409, title: 'The same call is under way' },
  'too-recent': { status: 409, title: 'It is too early for this' },
  'job-pruned': { status: 410, title: 'The job was removed by retention' },
  'version-mismatch': { status: 412, title: 'The job has another version' },
  'payload-too-large': { status: 413, title: 'The request is too large' },
  'unsupported-media-type': { status: 415, title: 'The media type is not supported' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Something went wrong on the server' },
  unavailable: { status: 503, title: 'The service is not available at the moment' },
  starting: { status: 503, title: 'The service is starting' },
  'read-model-behind': { status: 503, title: 'The read tables are not there yet' },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(PROBLEMS, text);
}
