import type { Client } from '#client/client';
import type { ListedJob, Page } from '#client/types';
import type { Fingerprint } from './files.ts';
import { QUEUE } from './work.ts';

/** What the log says about the jobs of the demo. */
export interface Tally {
  readonly jobs: number;
  readonly events: number;
  readonly starts: number;
  /** Attempts that ended by an expired lease: what a killed or frozen worker leaves behind. */
  readonly expiries: number;
  /** Attempts that ended otherwise without success: a file that was gone, a job that was handed back. */
  readonly otherEnds: number;
  readonly succeeded: number;
  /** Ids of jobs whose number of final events is not one. */
  readonly odd: readonly string[];
}

const PAGE = 1_000;
/** As many as the server gives at once when results are asked for. */
const RESULT_PAGE = 50;
const FINAL = new Set(['succeeded', 'dead-lettered', 'cancelled']);

/** Counts from the feed, which is the log itself and no read table. */
export async function tallyFeed(client: Client): Promise<Tally> {
  const finals = new Map<string, number>();
  const counts = { events: 0, starts: 0, expiries: 0, otherEnds: 0, succeeded: 0 };
  let after: string | undefined;
  for (;;) {
    const page = await client.events({ queue: [QUEUE], limit: PAGE, ...(after !== undefined && { after }) });
    if (page.data.length === 0 && page.next_after === after) break;
    after = page.next_after;
    for (const event of page.data) {
      // `holdfast.job.dead-lettered.v1`
      const name = event.type.split('.')[2] ?? '';
      counts.events += 1;
      if (name === 'claimed') counts.starts += 1;
      if (name === 'succeeded') counts.succeeded += 1;
      if (name === 'failed' && event.data.why === 'lease-expired') counts.expiries += 1;
      else if (name === 'failed' || name === 'released') counts.otherEnds += 1;
      finals.set(event.subject, (finals.get(event.subject) ?? 0) + (FINAL.has(name) ? 1 : 0));
    }
  }
  const odd = [...finals].filter(([, times]) => times !== 1).map(([id]) => id);
  return { jobs: finals.size, odd, ...counts };
}

export interface JobResult {
  readonly path: string;
  readonly found: Fingerprint | null;
}

/** Path and result of every job, page by page; the next page is on its way while one is looked at. */
export async function* readResults(client: Client): AsyncGenerator<readonly JobResult[]> {
  for (let coming: Promise<Page<ListedJob>> | null = resultPage(client, null); coming !== null; ) {
    const page: Page<ListedJob> = await coming;
    coming = page.next_cursor === null ? null : resultPage(client, page.next_cursor);
    // Whoever stops looking does not wait for it; whoever goes on gets the error.
    coming?.catch(() => undefined);
    yield page.data.map(({ payload, result }) => ({
      path: String(payload?.path),
      found: (result ?? null) as Fingerprint | null,
    }));
  }
}

function resultPage(client: Client, cursor: string | null): Promise<Page<ListedJob>> {
  return client.listJobs({
    queue: [QUEUE],
    include: ['payload', 'result'],
    limit: RESULT_PAGE,
    ...(cursor !== null && { cursor }),
  });
}
