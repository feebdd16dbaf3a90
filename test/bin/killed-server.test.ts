import { expect, test } from 'vitest';
import { type Client, createClient } from '#client/client';
import type { CloudEvent } from '#client/types';
import { createScratch } from '../support/scratch.ts';
import { until } from '../support/until.ts';
import { type Running, startServing } from './server-process.ts';

const JOBS = 1000;
/** What ends a claim, each at most once. */
const ENDS = new Set(['succeeded', 'failed', 'released', 'cancelled']);

test('of 1,000 jobs in flight when the server is killed, all end and none has two outcomes', {
  timeout: 180_000,
}, async () => {
  const dataDir = createScratch('killed-server');
  let server = await start(dataDir);
  try {
    const client = createClient({ url: server.url });
    const jobs = Array.from({ length: JOBS }, () => ({ type: 'nap', lease_seconds: 5 }));
    const { created, results } = await client.submitJobs(jobs);
    expect(created).toBe(JOBS);
    await until('some have ended and many run', async () => {
      const [queue] = (await client.listQueues()).data;
      return (queue?.depth.succeeded ?? 0) > 50 && (queue?.depth.running ?? 0) > 10;
    });
    await server.stop('SIGKILL');

    server = await start(dataDir);
    const again = createClient({ url: server.url });
    await until('all have ended', async () => (await again.listQueues()).data[0]?.depth.succeeded === JOBS, 120_000);
    const history = await whole(again);
    const expired = history.filter((event) => event.data.why === 'lease-expired');
    expect(expired.length, 'leases that the killed process held').toBeGreaterThan(0);
    for (const { job } of results) {
      const events = history.filter(({ subject }) => subject === job?.id);
      expect(events.filter(({ type }) => kind(type) === 'succeeded')).toHaveLength(1);
      expect(endsOfClaims(events)).toEqual(endsOfClaims(events).map(() => 1));
    }
  } finally {
    await server.stop('SIGTERM');
  }
});

function start(dataDir: string): Promise<Running> {
  return startServing([process.execPath, 'bin/holdfast.js', 'server'], {
    HOLDFAST_DATA_DIR: dataDir,
    HOLDFAST_PORT: '0',
    HOLDFAST_CONCURRENCY: '50',
    HOLDFAST_HANDLERS: 'test/bin/fixtures/nap-handlers.ts',
  });
}

/** The whole feed, from the first event to the last. */
async function whole(client: Client): Promise<CloudEvent[]> {
  const events: CloudEvent[] = [];
  for (let after: string | undefined; ; ) {
    const page = await client.events({ limit: 1000, ...(after !== undefined && { after }) });
    events.push(...page.data);
    if (page.data.length === 0) return events;
    after = page.next_after;
  }
}

/** How many events end each claim of a job, claim by claim. */
function endsOfClaims(events: readonly CloudEvent[]): number[] {
  const ends: number[] = [];
  for (const { type } of events) {
    if (kind(type) === 'claimed') ends.push(0);
    else if (ENDS.has(kind(type))) ends.push((ends.pop() ?? 0) + 1);
  }
  return ends;
}

/** `holdfast.job.claimed.v1` is `claimed`. */
function kind(type: string): string {
  return type.split('.')[2] ?? '';
}
