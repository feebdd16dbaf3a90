import { setTimeout as delay } from 'node:timers/promises';
import type { Payload, Submitter } from '../products/product.ts';
import type { LoopResult, OpenLoop, OpenLoopResult } from './calls.ts';
import { instant } from './instant.ts';

export function payloadOf(n: number): Payload {
  return { n, path: `node_modules/some-package/dist/file-${n}.js` };
}

/** @returns Seconds. */
export async function submitBulk(
  submitter: Submitter,
  { first, jobs, batch }: { first: number; jobs: number; batch: number },
): Promise<number> {
  const begin = performance.now();
  for (let done = 0; done < jobs; done += batch) {
    const size = Math.min(batch, jobs - done);
    await submitter.submitMany(Array.from({ length: size }, (_, at) => payloadOf(first + done + at)));
  }
  return (performance.now() - begin) / 1000;
}

export async function submitClosed(
  submitter: Submitter,
  { clients, seconds }: { clients: number; seconds: number },
): Promise<LoopResult> {
  const latencies: number[] = [];
  const begin = performance.now();
  const end = begin + seconds * 1000;
  let next = 0;
  const client = async () => {
    for (let now = performance.now(); now < end; ) {
      const n = next;
      next += 1;
      await submitter.submitOne(payloadOf(n));
      const answered = performance.now();
      latencies.push(answered - now);
      now = answered;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const took = (performance.now() - begin) / 1000;
  return { jobs: latencies.length, seconds: took, latencies: Float64Array.from(latencies) };
}

/** Submits at a rate, whether or not earlier submits were acknowledged; resolves when all are. */
export async function submitOpen(
  submitter: Submitter,
  { first, jobs, perSecond, from }: OpenLoop,
): Promise<OpenLoopResult> {
  const sentAt = new Float64Array(jobs);
  const acknowledgedAt = new Float64Array(jobs);
  const begin = instant();
  const calls: Promise<void>[] = [];
  const send = async (at: number, planned: number) => {
    sentAt[at] = from === 'plan' ? planned : instant();
    await submitter.submitOne(payloadOf(first + at));
    acknowledgedAt[at] = instant();
  };
  for (let at = 0; at < jobs; ) {
    const planned = begin + (at * 1000) / perSecond;
    const wait = planned - instant();
    if (wait > 0) await delay(Math.max(1, Math.floor(wait)));
    if (wait <= 0.5) {
      calls.push(send(at, planned));
      at += 1;
    }
  }
  await Promise.all(calls);
  return { sentAt, acknowledgedAt };
}
