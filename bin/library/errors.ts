import { problemOf } from '#api/problems/from-error';
import type { ApiProblem, WrongField } from '#api/problems/problem';
import { HoldfastApiError, HoldfastUnreachable } from '#client/errors';
import type { FieldError, Problem } from '#client/types';
import { Unstorable } from '#workers/storable';

/** A call that was refused or could not be made: the same in process and over HTTP. */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError';
  /** As in the HTTP API: `invalid-request`, `not-found`, `idempotency-key-reused`, `unavailable` and so on. */
  readonly code: string;
  /** For `invalid-request` and `payload-too-large`: every field that is wrong, by its name in the API. */
  readonly errors: readonly FieldError[];
  /** Of the server's answer; null in process. */
  readonly requestId: string | null;

  constructor(
    code: string,
    message: string,
    facts: { errors?: readonly FieldError[]; requestId?: string | null; cause?: unknown } = {},
  ) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.errors = facts.errors ?? [];
    this.requestId = facts.requestId ?? null;
  }
}

/** What a backend threw, as the library throws it. A bug stays the error that it is. */
export function asHoldfastError(error: unknown): unknown {
  if (error instanceof HoldfastApiError) {
    const { code, message, problem, requestId } = error;
    return new HoldfastError(code, message, { errors: problem.errors ?? [], requestId, cause: error });
  }
  if (error instanceof HoldfastUnreachable) return new HoldfastError('unavailable', error.message, { cause: error });
  if (error instanceof Unstorable) {
    return new HoldfastError('invalid-request', error.message, {
      errors: [{ pointer: '/payload', detail: error.message }],
    });
  }
  const problem = problemOf(error);
  if (problem.code === 'internal') return error;
  return ofProblem(problem, error);
}

/** The error of one item in a bulk answer. */
export function ofItemProblem({ code, detail, errors = [] }: Problem): HoldfastError {
  return new HoldfastError(code, detail, { errors });
}

function ofProblem(problem: ApiProblem, cause: unknown): HoldfastError {
  return new HoldfastError(problem.code, messageOf(problem), { errors: problem.errors, cause });
}

/** A sentence that says what is wrong, also where nobody looks at `errors`. */
function messageOf({ message, errors }: ApiProblem): string {
  if (errors.length === 0) return message;
  return `${message}: ${errors.map((wrong) => `${placeOf(wrong)} ${wrong.detail}`).join('; ')}`;
}

function placeOf(wrong: WrongField): string {
  if ('pointer' in wrong) return wrong.pointer;
  return 'parameter' in wrong ? wrong.parameter : wrong.header;
}
