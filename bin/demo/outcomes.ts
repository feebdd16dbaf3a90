import type { Client } from '#client/client';
import type { ListedJob } from '#client/types';
import type { Fingerprint } from './files.ts';
import { QUEUE } from './work.ts';

/** What the log says about the jobs of the demo. */
export interface Tally {
  readonly jobs: number;
  readonly events: number;
  readonly starts: number;
  /** Attempts that ended by an expired lease: what a killed or frozen worker leaves behind. */
  readonly expiries: number;
  readonly outcomes: number;
  /** Ids of jobs whose number of accepted outcomes is not one. */
  readonly odd: readonly string[];
}

const PAGE = 1_000;
/** As many as the server gives at once when results are asked for. */
const RESULT_PAGE = 50;
const FINAL = new Set(['succeeded', 'deadlettered', 'cancelled']);

/** Counts from the feed, which is the log itself and no read table. */
export async function tallyFeed(client: Client): Promise<Tally> {
  const outcomesOf = new Map<string, number>();
  const counts = { events: 0, starts: 0, expiries: 0 };
  let after: string | undefined;
  for (;;) {
    const page = await client.events({ queue: [QUEUE], limit: PAGE, ...(after !== undefined && { after }) });
    if (page.data.length === 0 && page.next_after === after) break;
    after = page.next_after;
    for (const { type, subject, data } of page.data) {
      const name = type.split('.').at(-2) ?? '';
      counts.events += 1;
      if (name === 'claimed') counts.starts += 1;
      if (name === 'failed' && data.why === 'lease-expired') counts.expiries += 1;
      outcomesOf.set(subject, (outcomesOf.get(subject) ?? 0) + (FINAL.has(name) ? 1 : 0));
    }
  }
  const odd = [...outcomesOf].filter(([, outcomes]) => outcomes !== 1).map(([id]) => id);
  const outcomes = [...outcomesOf.values()].reduce((sum, count) => sum + count, 0);
  return { jobs: outcomesOf.size, outcomes, odd, ...counts };
}

export interface JobResult {
  readonly path: string;
  readonly found: Fingerprint | null;
}

/** Path and result of every job, page by page. */
export async function* readResults(client: Client): AsyncGenerator<readonly JobResult[]> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: { data: readonly ListedJob[]; next_cursor: string | null } = await client.listJobs({
      queue: [QUEUE],
      include: ['payload', 'result'],
      limit: RESULT_PAGE,
      ...(cursor !== undefined && { cursor }),
    });
    yield page.data.map(({ payload, result }) => ({
      path: String(payload?.path),
      found: (result ?? null) as Fingerprint | null,
    }));
    cursor = page.next_cursor;
  }
}
