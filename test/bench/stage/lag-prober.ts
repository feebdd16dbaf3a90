import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { instant } from '../children/instant.ts';
import { inspect } from './inspect.ts';
import type { Stage } from './stage.ts';

/** A lag is told up to this much too large, never too small. */
const LOOK_EVERY_MS = 2;

interface Sighting {
  readonly at: number;
  /** Number of the last event that the table of jobs has. */
  readonly position: number;
}

/**
 * Watches the table of jobs while the work is done. @returns For every event of a job that was written meanwhile, the
 * milliseconds from its commit to a look that found it in the table.
 */
export function readModelLags(stage: Stage, work: () => Promise<void>): Promise<Float64Array> {
  return inspect(stage, async (client) => {
    const before = await sight(client);
    const sightings: Sighting[] = [];
    const done = new AbortController();
    const watching = watch(client, sightings, done.signal);
    try {
      await work();
    } finally {
      done.abort();
      await watching;
    }
    sightings.push(await sight(client));
    const { rows } = await client.query<Sighting>(COMMITS, [before.position]);
    return lagsOf(rows, sightings);
  });
}

async function watch(client: Client, sightings: Sighting[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    sightings.push(await sight(client));
    await delay(LOOK_EVERY_MS);
  }
}

async function sight(client: Client): Promise<Sighting> {
  const { rows } = await client.query<{ position: number }>({ name: 'sight', text: SEEN });
  return { at: instant(), position: rows[0]?.position ?? 0 };
}

/** @param commits - By position. @param sightings - By time; positions never fall. */
export function lagsOf(commits: readonly Sighting[], sightings: readonly Sighting[]): Float64Array {
  const lags: number[] = [];
  let look = 0;
  for (const { at, position } of commits) {
    while (look < sightings.length && (sightings[look]?.position ?? 0) < position) look += 1;
    const seen = sightings[look];
    if (seen === undefined) throw new Error(`event ${position} was never seen in the table of jobs`);
    lags.push(Math.max(0, seen.at - at));
  }
  return Float64Array.from(lags);
}

const SEEN = `
  SELECT coalesce(('x' || right(position, 16))::bit(64)::bigint, 0)::float8 AS position
  FROM projections WHERE name = 'jobs'`;

const COMMITS = `
  SELECT position::float8, extract(epoch FROM pg_xact_commit_timestamp(xmin))::float8 * 1000 AS at
  FROM events WHERE position > $1 AND status IS NOT NULL ORDER BY position`;
