import type { JobEventType } from '#domain/job/events';
import { int4Array, int8Array, textArray } from '#runtime/postgres/arrays';
import type { FoldedJob } from '../job-fold.ts';

interface Activity {
  submitted: number;
  started: number;
  finished: number;
}

/** Differences of the counts by queue and status, as parallel arrays. */
export function countColumns(jobs: readonly FoldedJob[]): unknown[] {
  const differences = new Map<string, number>();
  const add = (queue: string, status: string, by: number) => {
    const key = `${queue} ${status}`;
    differences.set(key, (differences.get(key) ?? 0) + by);
  };
  for (const { before, after } of jobs) {
    if (before?.status === after.status) continue;
    if (before) add(before.queue, before.status, -1);
    add(after.queue, after.status, 1);
  }
  const entries = [...differences].filter(([, by]) => by !== 0).map(([key, by]) => ({ key: key.split(' '), by }));
  return [
    textArray(entries.map(({ key }) => key[0] as string)),
    textArray(entries.map(({ key }) => key[1] as string)),
    int8Array(entries.map(({ by }) => by)),
  ];
}

/** What happened in which second of the epoch, by queue, as parallel arrays. */
export function activityColumns(jobs: readonly FoldedJob[]): unknown[] {
  const entries: { readonly second: number; readonly queue: string; readonly counts: Activity }[] = [];
  const bySecond = new Map<number, Map<string, Activity>>();
  const activityIn = (second: number, queue: string): Activity => {
    const queues = bySecond.get(second) ?? new Map<string, Activity>();
    const known = queues.get(queue);
    if (known !== undefined) return known;
    const counts = { submitted: 0, started: 0, finished: 0 };
    bySecond.set(second, queues.set(queue, counts));
    entries.push({ second, queue, counts });
    return counts;
  };
  for (const { after, events } of jobs) {
    for (const { type, recordedAt } of events) {
      const kind = activityOf(type as JobEventType);
      if (kind !== undefined) activityIn(Math.floor(recordedAt / 1000), after.queue)[kind] += 1;
    }
  }
  return [
    int8Array(entries.map(({ second }) => second)),
    textArray(entries.map(({ queue }) => queue)),
    int4Array(entries.map(({ counts }) => counts.submitted)),
    int4Array(entries.map(({ counts }) => counts.started)),
    int4Array(entries.map(({ counts }) => counts.finished)),
  ];
}

export const COUNT_COLUMN_TYPES = ['text[]', 'text[]', 'bigint[]'];
export const ACTIVITY_COLUMN_TYPES = ['bigint[]', 'text[]', 'integer[]', 'integer[]', 'integer[]'];

function activityOf(type: JobEventType): keyof Activity | undefined {
  switch (type) {
    case 'Submitted':
      return 'submitted';
    case 'Claimed':
      return 'started';
    case 'Succeeded':
    case 'DeadLettered':
    case 'Cancelled':
      return 'finished';
    case 'Heartbeat':
    case 'Failed':
    case 'Released':
    case 'Replayed':
    case 'CancelRequested':
    case 'Rescheduled':
    case 'Acknowledged':
    case 'KeyReleased':
      return undefined;
  }
}
