import type { Job } from '#domain/job/state';
import type { FoldedJob } from '../job-fold.ts';

/** A job's last events come within moments of each other mostly; who comes later is loaded from its row. */
const MOST_JOBS = 5000;
const NO_PAYLOAD = {};

/**
 * The jobs that this process has written last, as their rows have them, so that the next batch need not load them. Good
 * only for as long as nobody else can write: for one uninterrupted ownership of the projection, whose checkpoint proves
 * with every batch that the rows are still those that were written here.
 */
export class RecentJobs {
  readonly #jobs = new Map<string, Job>();

  get(jobId: string): Job | undefined {
    return this.#jobs.get(jobId);
  }

  /** Takes what a batch has written, once it is known to be written. */
  written(jobs: readonly FoldedJob[]): void {
    for (const { after } of jobs) {
      this.#jobs.delete(after.id);
      if (isWorthKeeping(after)) this.#jobs.set(after.id, { ...after, payload: NO_PAYLOAD });
    }
    for (const oldest of this.#jobs.keys()) {
      if (this.#jobs.size <= MOST_JOBS) break;
      this.#jobs.delete(oldest);
    }
  }
}

/** Small, and with something still to come. */
function isWorthKeeping(job: Job): boolean {
  const { status, progress, checkpoint, lastError } = job;
  return (
    (status === 'pending' || status === 'running') && progress === null && checkpoint === null && lastError === null
  );
}
