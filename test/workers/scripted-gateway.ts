import type { JobView } from '#domain/job/view';
import type { Beat, ClaimAnswer, HeldLease, Outcome, Report, ReportAnswer, WorkerGateway } from '#workers/gateway';
import { jobSnapshot } from '#workers/job-snapshot';

const ACCEPTED: ReportAnswer = { kind: 'accepted', cancelRequested: false };

/** A gateway whose every answer the test gives: for outages, lost answers and moments that cannot be had from outside. */
export class ScriptedGateway implements WorkerGateway {
  readonly mostJobs = 1000;
  readonly reports: Report<Outcome>[] = [];
  readonly beats: Report<Beat>[] = [];
  readonly claims: number[] = [];
  #waiting: HeldLease[] = [];

  /** Replaced by tests. */
  onClaim: (answer: ClaimAnswer) => Promise<ClaimAnswer> = async (answer) => answer;
  onReport: (reports: readonly Report<Outcome>[]) => Promise<readonly ReportAnswer[]> = async (reports) =>
    reports.map(() => ACCEPTED);
  onBeat: (beats: readonly Report<Beat>[]) => Promise<readonly ReportAnswer[]> = async (beats) =>
    beats.map(() => ACCEPTED);
  requestCancel: (jobId: string) => void = () => {};

  offer(...leases: HeldLease[]): void {
    this.#waiting.push(...leases);
  }

  async claim(maxJobs: number): Promise<ClaimAnswer> {
    this.claims.push(maxJobs);
    const claimedAt = performance.now();
    const leases = this.#waiting.splice(0, maxJobs);
    try {
      return await this.onClaim({ leases, claimedAt, nextDueInMs: null });
    } catch (error) {
      this.#waiting.unshift(...leases);
      throw error;
    }
  }

  async report(reports: readonly Report<Outcome>[]): Promise<readonly ReportAnswer[]> {
    const answers = await this.onReport(reports);
    this.reports.push(...reports);
    return answers;
  }

  async beat(beats: readonly Report<Beat>[]): Promise<readonly ReportAnswer[]> {
    this.beats.push(...beats);
    return this.onBeat(beats);
  }

  async watchCancels(onRequested: (jobId: string) => void, signal: AbortSignal): Promise<void> {
    this.requestCancel = onRequested;
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }

  async started(): Promise<void> {}
  async stopped(): Promise<void> {}
  async seen(): Promise<void> {}
}

export function lease(
  id: string,
  given: { type?: string; leaseSeconds?: number; timeoutSeconds?: number } = {},
): HeldLease {
  const { type = 'work', leaseSeconds = 30, timeoutSeconds = null } = given;
  const view: JobView = {
    id,
    type,
    queue: 'default',
    status: 'running',
    version: 1,
    priority: 0,
    tags: [],
    payload: {},
    result: null,
    progress: null,
    checkpoint: null,
    created_at: '2026-11-30T12:00:00.000Z',
    updated_at: '2026-11-30T12:00:01.000Z',
    scheduled_at: '2026-11-30T12:00:00.000Z',
    started_at: '2026-11-30T12:00:01.000Z',
    finished_at: null,
    expires_at: null,
    lease_seconds: leaseSeconds,
    timeout_seconds: timeoutSeconds,
    attempt: 1,
    max_attempts: 5,
    crashes: 0,
    max_crashes: 5,
    releases: 0,
    replays: 0,
    fencing_token: 1,
    lease: { worker_id: 'w1', expires_at: '2026-11-30T12:00:31.000Z' },
    cancel: null,
    retry: { strategy: 'fixed', delay_seconds: 1, jitter: 0 },
    last_error: null,
    dead_reason: null,
    acknowledged: false,
    idempotency_key: null,
    concurrency_key: null,
    unique: null,
    origin: { kind: 'api', schedule: null, occurrence_at: null, job_id: null },
  };
  return { job: jobSnapshot(view), fencingToken: 1, leaseSeconds };
}
