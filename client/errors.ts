import type { Problem } from './types.ts';

/** The server refused, and said why. */
export class HoldfastApiError extends Error {
  override readonly name = 'HoldfastApiError';
  readonly status: number;
  /** Stable; see the server's `/docs/errors/<code>`. */
  readonly code: string;
  readonly problem: Problem;
  readonly requestId: string | null;
  /** From Retry-After; null when the server did not say. */
  readonly retryAfterSeconds: number | null;

  constructor(problem: Problem, facts: { requestId: string | null; retryAfterSeconds: number | null }) {
    super(problem.detail || problem.title);
    this.status = problem.status;
    this.code = problem.code;
    this.problem = problem;
    this.requestId = facts.requestId;
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }
}

/** No answer came, or none in time: whether the call had an effect is not known. */
export class HoldfastUnreachable extends Error {
  override readonly name = 'HoldfastUnreachable';
  readonly code = 'unreachable';
}
