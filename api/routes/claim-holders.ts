import type { Commands } from '#commands/contract';
import type { Job, RunningJob } from '#domain/job/state';

const MAX_KEPT = 20_000;

interface Claim {
  readonly fencingToken: number;
  readonly workerId: string;
}

/**
 * Which worker holds which claim, so that a report, which carries nothing but the token, is recorded under its worker's
 * name. Leases given out by this process are kept until they are reported on; for others the job is read.
 */
export class ClaimHolders {
  readonly #commands: Commands;
  readonly #claims = new Map<string, Claim>();
  readonly #counts = new Map<string, number>();

  constructor(commands: Commands) {
    this.#commands = commands;
  }

  keep(jobs: readonly RunningJob[]): void {
    for (const { id, fencingToken, lease } of jobs) {
      this.#drop(id);
      this.#claims.set(id, { fencingToken, workerId: lease.workerId });
      this.#counts.set(lease.workerId, this.runningOf(lease.workerId) + 1);
      if (this.#claims.size > MAX_KEPT) this.#drop(this.#claims.keys().next().value as string);
    }
  }

  /** Hears of a job after a report on it. */
  reported(job: Job): void {
    if (job.status !== 'running') this.#drop(job.id);
  }

  /** How many claims of a worker this process knows of. */
  runningOf(workerId: string): number {
    return this.#counts.get(workerId) ?? 0;
  }

  /** The actor of a report; the caller's own when the token holds nothing, since nothing will be written then. */
  async actorOf(jobId: string, fencingToken: number, caller: string): Promise<string> {
    const kept = this.#claims.get(jobId);
    if (kept?.fencingToken === fencingToken) return `worker:${kept.workerId}`;
    const job = (await this.#commands.read(jobId))?.job;
    if (job?.status !== 'running' || job.fencingToken !== fencingToken) return caller;
    this.keep([job]);
    return `worker:${job.lease.workerId}`;
  }

  #drop(jobId: string): void {
    const claim = this.#claims.get(jobId);
    if (!claim) return;
    this.#claims.delete(jobId);
    const left = this.runningOf(claim.workerId) - 1;
    if (left > 0) this.#counts.set(claim.workerId, left);
    else this.#counts.delete(claim.workerId);
  }
}
