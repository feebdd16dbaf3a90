import type { z } from 'zod';
import { escapePointer, type FieldProblem } from './value.ts';

/** A request that is not valid: every field that is wrong, not only the first. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';
  readonly code: 'invalid-request' | 'payload-too-large';
  readonly problems: readonly FieldProblem[];

  constructor(problems: readonly FieldProblem[], code: InvalidRequest['code'] = 'invalid-request') {
    super(problems.map(({ pointer, detail }) => `${pointer || '/'}: ${detail}`).join('; '));
    this.problems = problems;
    this.code = code;
  }
}

/** Both, without what `more` says about a place, or below one, that `known` has named already. */
export function withoutRepeats(known: readonly FieldProblem[], more: readonly FieldProblem[]): FieldProblem[] {
  const isNew = ({ pointer }: FieldProblem) =>
    !known.some((named) => pointer === named.pointer || pointer.startsWith(`${named.pointer}/`));
  return [...known, ...more.filter(isNew)];
}

/** Each wrong field of a zod error with its JSON Pointer; an unknown field is named by its own pointer. */
export function fieldProblems(error: z.ZodError, base = ''): FieldProblem[] {
  return error.issues.flatMap((issue) => issueProblems(issue, base));
}

function issueProblems(issue: z.core.$ZodIssue, base: string): FieldProblem[] {
  const pointer = base + issue.path.map((token) => `/${escapePointer(String(token))}`).join('');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ pointer: `${pointer}/${escapePointer(key)}`, detail: 'is not a known field' }));
  }
  if (issue.code === 'invalid_type' && issue.input === undefined)
    return [{ pointer, detail: `is required: ${issue.message}` }];
  return [{ pointer, detail: issue.message }];
}

/** Parses with a schema or throws all that is wrong. @throws InvalidRequest */
export function parseRequest<S extends z.ZodType>(schema: S, value: unknown, base = ''): z.output<S> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new InvalidRequest(fieldProblems(parsed.error, base));
}
