import type { Commands } from '#commands/contract';
import type { RunningJob } from '#domain/job/state';

const MAX_KEPT = 20_000;

/**
 * Which worker holds which claim, so that a report, which carries nothing but the token, is recorded under its worker's
 * name. Leases given out by this process are kept; for others the job is read.
 */
export class ClaimHolders {
  readonly #commands: Commands;
  readonly #holders = new Map<string, { readonly fencingToken: number; readonly workerId: string }>();

  constructor(commands: Commands) {
    this.#commands = commands;
  }

  keep(jobs: readonly RunningJob[]): void {
    for (const { id, fencingToken, lease } of jobs) {
      this.#holders.delete(id);
      this.#holders.set(id, { fencingToken, workerId: lease.workerId });
    }
    const surplus = this.#holders.size - MAX_KEPT;
    for (const id of [...this.#holders.keys()].slice(0, Math.max(0, surplus))) this.#holders.delete(id);
  }

  /** The actor of a report; the caller's own when the token holds nothing, since nothing will be written then. */
  async actorOf(jobId: string, fencingToken: number, caller: string): Promise<string> {
    const kept = this.#holders.get(jobId);
    if (kept?.fencingToken === fencingToken) return `worker:${kept.workerId}`;
    const job = (await this.#commands.read(jobId))?.job;
    if (job?.status !== 'running' || job.fencingToken !== fencingToken) return caller;
    this.keep([job]);
    return `worker:${job.lease.workerId}`;
  }
}
