import type { FoldedJob } from '../job-fold.ts';
import { plainArray } from '../sql-arrays.ts';

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
  const entries = [...differences].filter(([, by]) => by !== 0).map(([key, by]) => [...key.split(' '), by]);
  return [
    entries.map(([queue]) => queue),
    entries.map(([, status]) => status),
    plainArray(entries.map(([, , by]) => by as number)),
  ];
}

/** What happened in which second of the epoch, by queue, as parallel arrays. */
export function activityColumns(jobs: readonly FoldedJob[]): unknown[] {
  const activity = new Map<string, Activity>();
  for (const { after, events } of jobs) {
    for (const event of events) {
      const kind = activityOf(event.type);
      if (kind === undefined) continue;
      const key = `${Math.floor(event.recordedAt / 1000)} ${after.queue}`;
      const known = activity.get(key) ?? { submitted: 0, started: 0, finished: 0 };
      known[kind] += 1;
      activity.set(key, known);
    }
  }
  const entries = [...activity].map(([key, counts]) => ({ key: key.split(' '), counts }));
  return [
    plainArray(entries.map(({ key }) => key[0] as string)),
    entries.map(({ key }) => key[1]),
    plainArray(entries.map(({ counts }) => counts.submitted)),
    plainArray(entries.map(({ counts }) => counts.started)),
    plainArray(entries.map(({ counts }) => counts.finished)),
  ];
}

function activityOf(type: FoldedJob['events'][number]['type']): keyof Activity | undefined {
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
