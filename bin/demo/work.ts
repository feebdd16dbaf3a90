import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '#client/client';
import type { BulkItem } from '#client/types';
import type { Progress } from '../cli/progress.ts';

export const QUEUE = 'files';
/** How long the few take that are there for a worker to be caught in the middle of one. */
export const SLOW_MS = 5_000;
const SLOW_TAG = 'slow';

const BULK = 1_000;
const LEASE_SECONDS = 5;
const KEY = /^[\x21-\x7e]{1,255}$/;
const LOOK_EVERY_MS = 500;

/**
 * Submits one job a file, a thousand at a time; a file submitted twice would still be one job.
 * @returns The ids of the jobs.
 */
export async function submitFiles(
  client: Client,
  paths: readonly string[],
  options: { readonly slow: boolean },
): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < paths.length; from += BULK) {
    const jobs = paths.slice(from, from + BULK).map((path) => jobFor(path, options.slow));
    const { results, refused } = await client.submitJobs(jobs);
    const problem = results.find((result) => result.problem !== null)?.problem;
    if (refused > 0) throw new Error(`${refused} jobs were refused: ${problem?.detail ?? 'no reason given'}`);
    ids.push(...results.map(({ job }) => job?.id ?? ''));
  }
  return ids;
}

function jobFor(path: string, slow: boolean): BulkItem {
  return {
    type: 'file.hash',
    queue: QUEUE,
    payload: slow ? { path, at_least_ms: SLOW_MS } : { path },
    lease_seconds: LEASE_SECONDS,
    idempotency_key: KEY.test(path) ? path : createHash('sha256').update(path).digest('hex'),
    ...(slow && { priority: 100, tags: [SLOW_TAG] }),
  };
}

/**
 * Resolves when every file has its outcome.
 * @param rest - Ends the wait when what should bring the rest of the work fails.
 */
export async function untilAllDone(
  client: Client,
  total: number,
  progress: Progress,
  rest: Promise<unknown>,
): Promise<void> {
  const failed = new AbortController();
  rest.catch(() => failed.abort());
  const startedAt = performance.now();
  for (;;) {
    const { depth } = await client.getQueue(QUEUE);
    const done = depth.succeeded + depth.dead + depth.cancelled;
    const rate = Math.round(done / ((performance.now() - startedAt) / 1_000));
    progress.at(done, total, `${rate.toLocaleString('en')} jobs/s, ${depth.running} running`);
    if (done >= total) return;
    await delay(LOOK_EVERY_MS, undefined, { signal: failed.signal });
  }
}
