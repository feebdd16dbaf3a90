import type { Logger } from '#runtime/logger';
import { pause } from '#runtime/timer';
import type { WorkerGateway } from './gateway.ts';
import { Outage } from './outage.ts';

const KEPT = 1000;

/**
 * Follows cancel requests and remembers the latest: one may overtake the answer to the claim of its job. A job whose
 * cancel was requested never runs again, so an id that is kept too long does no harm.
 */
export class RecentCancels {
  readonly #jobIds = new Set<string>();

  has(jobId: string): boolean {
    return this.#jobIds.has(jobId);
  }

  /** @returns What stops it. */
  follow(
    gateway: Pick<WorkerGateway, 'watchCancels'>,
    logger: Logger,
    onRequested: (jobId: string) => void,
  ): () => void {
    const stop = new AbortController();
    void this.#run(gateway, logger, onRequested, stop.signal);
    return () => stop.abort();
  }

  async #run(
    gateway: Pick<WorkerGateway, 'watchCancels'>,
    logger: Logger,
    onRequested: (jobId: string) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const outage = new Outage('following cancel requests', logger);
    while (!signal.aborted) {
      try {
        await gateway.watchCancels((jobId) => {
          outage.succeeded();
          this.#remember(jobId);
          onRequested(jobId);
        }, signal);
        if (!signal.aborted) throw new Error('the stream of cancel requests ended');
      } catch (error) {
        if (!signal.aborted) await pause(outage.failed(error), signal);
      }
    }
  }

  #remember(jobId: string): void {
    this.#jobIds.add(jobId);
    for (const oldest of this.#jobIds) {
      if (this.#jobIds.size <= KEPT) return;
      this.#jobIds.delete(oldest);
    }
  }
}
