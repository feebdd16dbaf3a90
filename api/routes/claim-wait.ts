import type { Call, ClaimOutcome, ClaimRequest } from '#commands/contract';
import { mayBecomeDue } from '#domain/job/events';
import type { RunningJob } from '#domain/job/state';
import type { ApiContext } from '../context.ts';
import type { StoredEvent } from '../ports.ts';

export interface LeaseCall extends ClaimRequest {
  readonly waitSeconds: number;
}

/** Claims what is due; when nothing is, waits for something to become so until the call's time is over. */
export async function claimOrWait(
  context: ApiContext,
  lease: LeaseCall,
  call: Call,
  signal: AbortSignal,
): Promise<ClaimOutcome> {
  const first = await context.commands.claim(lease, call);
  if (first.kind !== 'claimed' || first.jobs.length > 0 || lease.waitSeconds === 0) return first;
  const giveBack = context.waits.take();
  try {
    await context.tail.start();
    return await keepTrying(context, lease, call, signal);
  } finally {
    giveBack();
  }
}

async function keepTrying(
  context: ApiContext,
  lease: LeaseCall,
  call: Call,
  signal: AbortSignal,
): Promise<ClaimOutcome> {
  const end = performance.now() + lease.waitSeconds * 1000;
  for (;;) {
    const stopWaiting = new AbortController();
    const left = Math.max(0, end - performance.now());
    const waiting = {
      timeoutMs: Math.min(left, context.pollMs),
      signal: AbortSignal.any([signal, stopWaiting.signal]),
    };
    const news = context.tail.next((event) => mayBeWork(event, lease), waiting);
    const outcome = await context.commands.claim(lease, call);
    const nothing = outcome.kind === 'claimed' && outcome.jobs.length === 0;
    if (!nothing || left === 0 || signal.aborted) {
      stopWaiting.abort();
      return outcome;
    }
    await Promise.race([news, dueIn(context, outcome.nextDueAt, waiting.signal)]);
    stopWaiting.abort();
    if (signal.aborted) return outcome;
  }
}

/** Events after which a job may be claimed; only the first of a job tells its queue and type. */
function mayBeWork({ type, data }: StoredEvent, { queues, types }: LeaseCall): boolean {
  if (type !== 'Submitted') return mayBecomeDue(type);
  const job = data as { queue: string; type: string };
  return (queues?.includes(job.queue) ?? true) && (types?.includes(job.type) ?? true);
}

const LONGEST_TIMER_MS = 60_000;

function dueIn({ clock }: ApiContext, dueAt: number | null, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (dueAt === null || signal.aborted) return;
    const timer = setTimeout(resolve, Math.min(LONGEST_TIMER_MS, Math.max(1, dueAt - clock.now())));
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}

/**
 * Gives up the claims of a client that went away before it could hear of them, so that others need not wait for the
 * leases to run out. A call with a request id is left alone: its client comes back for the leases.
 */
export async function handBack(
  { commands }: ApiContext,
  { requestId }: LeaseCall,
  jobs: readonly RunningJob[],
  call: Call,
): Promise<void> {
  if (requestId !== null || jobs.length === 0) return;
  const release = jobs.map(({ id, fencingToken }) => ({
    jobId: id,
    command: {
      kind: 'release',
      fencingToken,
      delaySeconds: 0,
      reason: 'the client of the lease call went away',
    } as const,
  }));
  await commands.execute(release, call);
}
