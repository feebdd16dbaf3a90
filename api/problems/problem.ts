import { PROBLEMS, type ProblemCode } from './codes.ts';

/** Where a request is wrong: a JSON Pointer into the body, a query parameter, or a header. */
export type WrongField = { readonly detail: string } & (
  | { readonly pointer: string }
  | { readonly parameter: string }
  | { readonly header: string }
);

export interface ProblemExtras {
  readonly errors?: readonly WrongField[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Another status than the code's own, for the few answers that HTTP itself fixes. */
  readonly status?: number;
}

/** A refusal on its way to the client. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly errors: readonly WrongField[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail);
    this.code = code;
    this.status = extras.status ?? PROBLEMS[code].status;
    this.errors = extras.errors ?? [];
    this.headers = extras.headers ?? {};
  }
}

/** A request that is wrong in these places. */
export function invalidRequest(errors: readonly WrongField[]): ApiProblem {
  return new ApiProblem('invalid-request', wrongCount(errors.length), { errors });
}

export function wrongCount(count: number): string {
  return count === 1 ? '1 field is wrong' : `${count} fields are wrong`;
}

/** The body of RFC 9457. */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ProblemCode;
  readonly detail: string;
  readonly instance: string;
  readonly request_id: string;
  readonly errors: readonly WrongField[];
}

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** `instance` is the path that was asked for, without its query. */
export function problemBody(problem: ApiProblem, request: { url: string; id: string }): ProblemBody {
  return {
    type: `/docs/errors/${problem.code}`,
    title: PROBLEMS[problem.code].title,
    status: problem.status,
    code: problem.code,
    detail: problem.message,
    instance: request.url.split('?', 1)[0] as string,
    request_id: request.id,
    errors: problem.errors,
  };
}
