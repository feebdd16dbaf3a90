import { randomUUID } from 'node:crypto';
import type { Client } from '#client/client';
import type { OutcomeResult, Outcome as WireOutcome } from '#client/lease-types';
import type { Beat, Outcome, Report, ReportAnswer, WorkerGateway } from '#workers/gateway';
import { jobSnapshot } from '#workers/job-snapshot';

/** A lease counts from the call that asked for it, so a call may wait no longer than a lease of 5 s can spare. */
const WAIT_SECONDS = 2;
/** An answer lost longer ago than this has leases that are nearly over; they are left to end. */
const REPEAT_WITHIN_MS = 4000;
/** The most one lease call takes. */
const MAX_JOBS = 100;
/** Well below the 16 MiB that the server takes. */
const MAX_BATCH_BYTES = 8 * 1024 * 1024;

export interface HttpGatewayOptions {
  readonly client: Client;
  readonly workerId: string;
  /** Null means any. */
  readonly queues: readonly string[] | null;
  readonly types: readonly string[];
}

/** The way of a worker to a server elsewhere: the lease protocol that workers in any language speak. */
export function createHttpGateway({ client, workerId, queues, types }: HttpGatewayOptions): WorkerGateway {
  const requests = new ClaimRequests();

  const reportAll = async (reports: readonly Report<Outcome | Beat>[]): Promise<ReportAnswer[]> => {
    const answers: ReportAnswer[] = [];
    for (const batch of batches(reports.map(wireOutcome))) {
      const { results } = await client.reportOutcomes(batch);
      answers.push(...results.map(reportAnswer));
    }
    return answers;
  };

  return {
    mostJobs: MAX_JOBS,
    async claim(maxJobs) {
      const { requestId, claimedAt } = requests.next();
      const { leases } = await client.leaseJobs({
        worker_id: workerId,
        types,
        ...(queues && { queues }),
        max_jobs: maxJobs,
        wait_seconds: WAIT_SECONDS,
        request_id: requestId,
      });
      requests.answered();
      const held = leases.map(({ job, fencing_token, lease_seconds }) => ({
        job: jobSnapshot(job),
        fencingToken: fencing_token,
        leaseSeconds: lease_seconds,
      }));
      // The call has waited for work already.
      return { leases: held, claimedAt, nextDueInMs: 0 };
    },
    report: reportAll,
    beat: reportAll,
    async watchCancels(onRequested, signal) {
      const after = await client.headPosition();
      const from = after === null ? {} : { after };
      for await (const event of client.followEvents({ ...from, event: ['CancelRequested'], signal })) {
        onRequested(event.subject);
      }
    },
    // The server knows such a worker by its lease calls alone.
    started: async () => undefined,
    stopped: async () => undefined,
    seen: async () => undefined,
  };
}

/** One request id until its answer is known, so that the leases of a lost answer are had by asking again. */
class ClaimRequests {
  #open: { readonly requestId: string; readonly claimedAt: number } | null = null;

  next(): { readonly requestId: string; readonly claimedAt: number } {
    const now = performance.now();
    if (this.#open && now - this.#open.claimedAt > REPEAT_WITHIN_MS) this.#open = null;
    this.#open ??= { requestId: randomUUID(), claimedAt: now };
    return this.#open;
  }

  answered(): void {
    this.#open = null;
  }
}

function wireOutcome({ jobId, command }: Report<Outcome | Beat>): WireOutcome {
  const base = { job_id: jobId, fencing_token: command.fencingToken };
  switch (command.kind) {
    case 'heartbeat': {
      const { progress, checkpoint } = command;
      return {
        ...base,
        action: 'heartbeat',
        ...(progress !== undefined && { progress }),
        ...(checkpoint !== undefined && { checkpoint }),
      };
    }
    case 'complete':
      return { ...base, action: 'complete', result: command.result };
    case 'fail': {
      // The server tells a timeout by its code.
      const error = command.why === 'timeout' ? { ...command.error, code: 'timeout' } : command.error;
      const { retryable, retryAfterSeconds } = command;
      return { ...base, action: 'fail', error, retryable, retry_after_seconds: retryAfterSeconds };
    }
    case 'release':
      return { ...base, action: 'release', delay_seconds: command.delaySeconds, reason: command.reason };
  }
}

function reportAnswer({ job, problem }: OutcomeResult): ReportAnswer {
  if (problem?.code === 'lease-lost') return { kind: 'lost' };
  if (problem) return { kind: 'refused', detail: problem.detail };
  return { kind: 'accepted', cancelRequested: job?.status === 'running' && job.cancel !== null };
}

function* batches(outcomes: readonly WireOutcome[]): Generator<WireOutcome[], void, void> {
  let batch: WireOutcome[] = [];
  let bytes = 0;
  for (const outcome of outcomes) {
    const size = Buffer.byteLength(JSON.stringify(outcome));
    if (bytes + size > MAX_BATCH_BYTES && batch.length > 0) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(outcome);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
