import { decide } from '#domain/job/decide';
import { derivedUuid } from '#domain/job/identity';
import { DEFAULT_LEASE_SECONDS } from '#domain/job/limits';
import type { RunningJob } from '#domain/job/state';
import { AppendRefused, type AppendResult, type Position } from '#log/port';
import { appendEach } from './append-each.ts';
import type { Call, ClaimOutcome, ClaimRequest } from './contract.ts';
import type { Deps } from './deps.ts';
import { remember } from './execute.ts';
import { type Move, move } from './new-events.ts';
import type { Candidate, Picked } from './ports.ts';
import { sha256 } from './sha256.ts';
import { sweep } from './sweep.ts';

/**
 * Claims due jobs for a worker. A call that names a `request_id` and is repeated gets the leases of the first call that
 * are still held, so that an answer lost on the way costs no lease.
 */
export async function claim(deps: Deps, request: ClaimRequest, call: Call): Promise<ClaimOutcome> {
  const { requestId, workerId } = request;
  if (requestId === null) return pickAndClaim(deps, request, call);
  const now = deps.clock.now();
  const begun = await deps.leaseRequests.begin({ requestId, workerId, now });
  if (begun === 'in-progress') return { kind: 'in-progress' };
  if (begun === 'other-worker') return { kind: 'request-id-reused' };
  let boundUntil = now + (request.leaseSeconds ?? DEFAULT_LEASE_SECONDS) * 1000;
  try {
    // A call that was frozen longer than it may be under way can claim under an id that is another worker's by now.
    const held = (await deps.leaseRequests.held(requestId)).filter(({ lease }) => lease.workerId === workerId);
    const outcome = held.length > 0 ? await heldAlready(deps, held) : await pickAndClaim(deps, request, call);
    if (outcome.kind === 'claimed') {
      boundUntil = Math.max(boundUntil, ...outcome.jobs.map(({ lease }) => lease.expiresAt));
    }
    return outcome;
  } finally {
    await deps.leaseRequests.finish({ requestId, boundUntil });
  }
}

async function heldAlready(deps: Deps, jobs: readonly RunningJob[]): Promise<ClaimOutcome> {
  const lasts = await Promise.all(
    jobs.map(({ id }) => deps.log.readStream(deps.names.job(id), { direction: 'backwards', limit: 1 })),
  );
  const position = newest(lasts.flat().map((event) => event.position));
  return { kind: 'claimed', jobs, position, nextDueAt: null };
}

/**
 * The pick-and-claim step, the only one: candidates from the due table, one `Claimed` each at the version their row names,
 * all in one append. The log decides; a row that was stale costs one refused append and is left alone until it moves.
 */
async function pickAndClaim(deps: Deps, request: ClaimRequest, call: Call): Promise<ClaimOutcome> {
  const { candidates, nextDueAt } = await pickSwept(deps, request);
  const moves = candidates.map((candidate) => claimMove(deps, candidate, request, call));
  const claims = moves.filter((found) => found !== null);
  const results = await appendEach(
    deps.log,
    claims.map(({ append }) => append),
  );
  const claimed: RunningJob[] = [];
  const positions: Position[] = [];
  // A pending row without a claim is not due yet by this process's clock, though it was by the clock of the one that found
  // it first: it is offered again when its mark ends. Withheld, it would be lost, for nothing else would move it.
  const refused = candidates.map(({ job }) => job).filter(({ status }) => status !== 'pending');
  claims.forEach(({ job, append }, index) => {
    const result = results[index] as AppendResult | AppendRefused;
    if (!(result instanceof AppendRefused) && result.kind === 'appended') {
      remember(deps, { job, position: result.position });
      deps.observe.written('Claimed', job);
      claimed.push(job as RunningJob);
      positions.push(result.position);
    } else {
      deps.observe.conflict();
      refused.push({ ...job, version: append.expectedVersion });
    }
  });
  if (refused.length > 0) await deps.due.withhold(refused.map(({ id, version }) => ({ jobId: id, version })));
  return { kind: 'claimed', jobs: claimed, position: newest(positions), nextDueAt };
}

/**
 * Leases that are over are ended by the call, so that no installation depends on a sweeper that runs; where there was room
 * left, the jobs that became due by that are picked, too. The pick itself tells of them, which spares a look beforehand.
 */
async function pickSwept(deps: Deps, { queues, types, maxJobs }: ClaimRequest): Promise<Picked> {
  const pick = (limit: number) => deps.due.pick({ queues, types, limit, now: deps.clock.now() });
  const first = await pick(maxJobs);
  if (!first.hasOverdue) return first;
  const room = maxJobs - first.candidates.length;
  try {
    await sweep(deps);
  } catch (error) {
    // What is in hand is claimed all the same; the next to look will sweep.
    if (room === maxJobs) throw error;
    return first;
  }
  if (room === 0) return first;
  const { candidates, ...rest } = await pick(room);
  return { ...rest, candidates: [...first.candidates, ...candidates] };
}

/** Null when the row's own state speaks against a claim: it is not pending, or its time has not come. */
function claimMove(deps: Deps, { job }: Candidate, request: ClaimRequest, call: Call): Move | null {
  const recordedAt = Math.max(deps.clock.now(), job.updatedAt);
  const { workerId, leaseSeconds, requestId } = request;
  const command = { kind: 'claim', workerId, leaseSeconds, requestId } as const;
  const decision = decide(job, command, { now: recordedAt, random: deps.random() });
  if (decision.kind !== 'events') return null;
  // The log compares ids only: the worker and a nonce in it keep two workers from taking each other's claim for their own.
  const id = derivedUuid(sha256, ['claim', job.id, job.version, workerId, deps.newId()]);
  const stream = deps.names.job(job.id);
  return move({ stream, jobId: job.id, before: job, events: decision.events, call, recordedAt, eventId: () => id });
}

function newest(positions: readonly Position[]): Position | null {
  return positions.reduce<Position | null>(
    (last, position) => (last === null || position > last ? position : last),
    null,
  );
}
