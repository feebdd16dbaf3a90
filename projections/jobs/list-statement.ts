import type { JobStatus } from '#domain/job/state';
import { JOB_STATUSES } from '#domain/job/state';
import type { PageEnd } from './cursor.ts';
import { STORED_COLUMNS } from './stored-row.ts';

/** Empty lists filter nothing. Status, queue and type: any of; tags: all of. Instants are epoch milliseconds. */
export interface JobFilters {
  readonly status: readonly JobStatus[];
  readonly queue: readonly string[];
  readonly type: readonly string[];
  readonly tags: readonly string[];
  /** Inclusive. */
  readonly createdAfter: number | null;
  /** Exclusive. */
  readonly createdBefore: number | null;
  readonly acknowledged: boolean | null;
}

export const JOB_SORTS = ['-created_at', 'created_at', 'scheduled_at', '-updated_at'] as const;
export type JobSort = (typeof JOB_SORTS)[number];

interface ListPlan {
  readonly filters: JobFilters;
  readonly sort: JobSort;
  readonly after: PageEnd | null;
  readonly limit: number;
}

export interface Statement {
  /** What the planner must be told, in the transaction of the statement. */
  readonly settings: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** More branches than this cost more than they save. */
const MOST_BRANCHES = 100;

/**
 * Reads one page: for each status that is asked for (and each queue or type, when sorted by creation) the first rows of
 * its own index, then the best of those. Each branch stops after a page, so a page costs the same at any depth and with
 * any number of rows. Without statistics the planner takes every branch for a few rows and would fetch and sort them all,
 * so that way is shut; only tags have an index that knows no order.
 */
export function listStatement(plan: ListPlan): Statement {
  const values: unknown[] = [];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const { column, direction, beyond } = orderOf(plan.sort);
  const statuses = plan.filters.status.length > 0 ? [...new Set(plan.filters.status)] : JOB_STATUSES;
  const branches = branchesOf(plan, column, parameter);
  const conditions = [
    'job.status = status.value',
    ...branches.conditions,
    ...filterConditions(plan.filters, parameter),
    ...(plan.after
      ? [`(job.${column}, job.id) ${beyond} (${parameter(plan.after.key)}::bigint, ${parameter(plan.after.id)}::uuid)`]
      : []),
  ];
  const order = (row: string) => `${row}.${column} ${direction}, ${row}.id ${direction}`;
  const limit = parameter(plan.limit);
  return {
    settings: `SET LOCAL enable_bitmapscan = ${plan.filters.tags.length > 0 ? 'on' : 'off'}`,
    text: `SELECT page.* FROM unnest(${parameter(statuses)}::text[]) AS status (value)${branches.sources}
      CROSS JOIN LATERAL (
        SELECT ${STORED_COLUMNS}
        FROM jobs AS job WHERE ${conditions.join(' AND ')} ORDER BY ${order('job')} LIMIT ${limit}
      ) AS page ORDER BY ${order('page')} LIMIT ${limit}`,
    values,
  };
}

function orderOf(sort: JobSort): {
  column: 'created_at' | 'updated_at' | 'scheduled_at';
  direction: string;
  beyond: string;
} {
  switch (sort) {
    case '-created_at':
      return { column: 'created_at', direction: 'DESC', beyond: '<' };
    case 'created_at':
      return { column: 'created_at', direction: 'ASC', beyond: '>' };
    case 'scheduled_at':
      return { column: 'scheduled_at', direction: 'ASC', beyond: '>' };
    case '-updated_at':
      return { column: 'updated_at', direction: 'DESC', beyond: '<' };
  }
}

/** Queues, or else types, get branches of their own where an index goes by them. */
function branchesOf({ filters }: ListPlan, column: string, parameter: (value: unknown) => string) {
  const { queue, type } = filters;
  if (column === 'created_at' && queue.length > 0 && queue.length <= MOST_BRANCHES) {
    const sources = ` CROSS JOIN unnest(${parameter([...new Set(queue)])}::text[]) AS queue (value)`;
    return { sources, conditions: ['job.queue = queue.value', ...anyOf('type', type, parameter)] };
  }
  if (column === 'created_at' && type.length > 0 && type.length <= MOST_BRANCHES) {
    const sources = ` CROSS JOIN unnest(${parameter([...new Set(type)])}::text[]) AS type (value)`;
    return { sources, conditions: ['job.type = type.value', ...anyOf('queue', queue, parameter)] };
  }
  return { sources: '', conditions: [...anyOf('queue', queue, parameter), ...anyOf('type', type, parameter)] };
}

function anyOf(column: 'queue' | 'type', names: readonly string[], parameter: (value: unknown) => string): string[] {
  return names.length > 0 ? [`job.${column} = ANY (${parameter(names)}::text[])`] : [];
}

function filterConditions(filters: JobFilters, parameter: (value: unknown) => string): string[] {
  const { tags, createdAfter, createdBefore, acknowledged } = filters;
  return [
    // The second half is what lets the partial index be used.
    ...(tags.length > 0 ? [`job.tags @> ${parameter(tags)}::text[] AND job.tags <> '{}'`] : []),
    ...(createdAfter === null ? [] : [`job.created_at >= ${parameter(createdAfter)}::bigint`]),
    ...(createdBefore === null ? [] : [`job.created_at < ${parameter(createdBefore)}::bigint`]),
    ...(acknowledged === null ? [] : [`job.acknowledged = ${parameter(acknowledged)}::boolean`]),
  ];
}
