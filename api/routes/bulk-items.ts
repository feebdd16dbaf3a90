import type { SubmitItem } from '#commands/contract';
import { field } from '#domain/job/fields';
import { parseSubmit } from '#domain/job/submit';
import { fieldProblems, InvalidRequest, withoutRepeats } from '#domain/json/problems';
import type { FieldProblem, JsonValue } from '#domain/json/value';
import { type ItemProblems, NO_ITEM_PROBLEMS } from '../http/judged-alone.ts';
import { invalidRequest } from '../problems/problem.ts';

const optionalKey = field.idempotencyKey.nullable().optional();

/** An item of a bulk submit: what to submit, or all that is wrong with it. */
export type BulkItem = { readonly submit: SubmitItem } | { readonly error: InvalidRequest };

/**
 * Reads the items of a bulk submit, each alone. Its key is no part of the request that the fingerprint is taken of, so
 * that a job may be submitted again by itself under the same key.
 * @param sentProblems - What is wrong with the items as they were sent, which their values do not show.
 * @throws ApiProblem when the header's key leaves no room for an index.
 */
export function readBulkItems(
  items: readonly unknown[],
  headerKey: string | null,
  sentProblems: ItemProblems = NO_ITEM_PROBLEMS,
): BulkItem[] {
  const longest = `${headerKey}#${Math.max(0, items.length - 1)}`;
  if (headerKey !== null && !field.idempotencyKey.safeParse(longest).success) {
    throw invalidRequest([{ header: 'Idempotency-Key', detail: 'is too long to have #<index> put behind it' }]);
  }
  return items.map((item, index) => {
    const key = headerKey === null ? null : `${headerKey}#${index}`;
    return readItem(item, `/jobs/${index}`, sentProblems.get(index) ?? [], key);
  });
}

function readItem(
  item: unknown,
  base: string,
  sentProblems: readonly FieldProblem[],
  headerKey: string | null,
): BulkItem {
  const { key, request, problems: keyProblems } = splitKey(item, base);
  const problems = withoutRepeats(sentProblems, keyProblems);
  try {
    const parsed = parseSubmit(request, base);
    if (problems.length > 0) return { error: new InvalidRequest(problems) };
    return { submit: { request: parsed, sent: request as JsonValue, idempotencyKey: key ?? headerKey } };
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    if (problems.length === 0) return { error };
    return { error: new InvalidRequest(withoutRepeats(problems, error.problems)) };
  }
}

function splitKey(
  item: unknown,
  base: string,
): { key: string | null; request: unknown; problems: readonly FieldProblem[] } {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    return { key: null, request: item, problems: [] };
  if (!('idempotency_key' in item)) return { key: null, request: item, problems: [] };
  const { idempotency_key, ...request } = item;
  const parsed = optionalKey.safeParse(idempotency_key);
  if (parsed.success) return { key: parsed.data ?? null, request, problems: [] };
  return { key: null, request, problems: fieldProblems(parsed.error, `${base}/idempotency_key`) };
}
