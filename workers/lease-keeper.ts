import type { Logger } from '#runtime/logger';
import { type AbortReason, CancelRequested, LeaseLost } from './abort-reasons.ts';
import type { Attempt, Mark } from './attempt.ts';
import type { ReportAnswer, WorkerGateway } from './gateway.ts';
import { KeptLease } from './kept-lease.ts';
import { Outage } from './outage.ts';

const TICK_MS = 100;

export interface LeaseKeeperOptions {
  readonly gateway: Pick<WorkerGateway, 'beat'>;
  readonly logger: Logger;
}

/**
 * Extends the leases of all running attempts, at a third of each, in one batch. It measures with the monotonic clock from
 * before a call was sent, so it always believes a lease to end earlier than the scheduler does; when a lease could not be
 * extended by then, the attempt is told to stop.
 */
export class LeaseKeeper {
  readonly #gateway: LeaseKeeperOptions['gateway'];
  readonly #outage: Outage;
  readonly #kept = new Map<Attempt, KeptLease>();
  #ticking: NodeJS.Timeout | null = null;
  #flushing = false;

  constructor({ gateway, logger }: LeaseKeeperOptions) {
    this.#gateway = gateway;
    this.#outage = new Outage('extending leases', logger);
  }

  /**
   * @param claimedAt - `performance.now()` from before the claim was sent.
   * @returns False when the lease is over already and is not kept: the answer was long on its way, or lay unread while
   *   this process was frozen.
   */
  keep(attempt: Attempt, claimedAt: number): boolean {
    const kept = new KeptLease(attempt, claimedAt);
    if (kept.overAt(performance.now())) return false;
    this.#kept.set(attempt, kept);
    this.#ticking ??= setInterval(() => this.#tick(), TICK_MS);
    return true;
  }

  letGo(attempt: Attempt): void {
    const kept = this.#kept.get(attempt);
    if (!kept) return;
    this.#kept.delete(attempt);
    kept.end(() => overReason(attempt));
    if (this.#kept.size === 0 && this.#ticking) {
      clearInterval(this.#ticking);
      this.#ticking = null;
    }
  }

  /** Beats at once with a mark; calls of one turn go out together. @returns Settled when it is recorded. */
  async beatNow(attempt: Attempt, mark: Mark): Promise<void> {
    const kept = this.#kept.get(attempt);
    if (!kept) throw overReason(attempt);
    const recorded = kept.want(mark);
    this.#flushSoon();
    return recorded;
  }

  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => {
      this.#flushing = false;
      this.#send([...this.#kept.values()].filter((kept) => kept.wanted));
    });
  }

  #tick(): void {
    const now = performance.now();
    for (const kept of this.#kept.values()) {
      if (kept.overAt(now)) this.#giveUp(kept);
    }
    this.#send([...this.#kept.values()].filter((kept) => kept.beatDueAt(now)));
  }

  #send(leases: readonly KeptLease[]): void {
    if (leases.length === 0) return;
    const sentAt = performance.now();
    const beats = leases.map((kept) => kept.beginBeat());
    this.#gateway.beat(beats).then(
      (answers) => {
        this.#outage.succeeded();
        for (const [index, kept] of leases.entries()) this.#answered(kept, answers[index] as ReportAnswer, sentAt);
        if (leases.some((kept) => kept.wanted)) this.#flushSoon();
      },
      (error: unknown) => {
        const retryAt = performance.now() + this.#outage.failed(error);
        for (const kept of leases) kept.beatFailed(retryAt);
      },
    );
  }

  #answered(kept: KeptLease, answer: ReportAnswer, sentAt: number): void {
    // The answer to a beat that crossed the attempt's own outcome says nothing.
    if (!this.#kept.has(kept.attempt)) return;
    switch (answer.kind) {
      case 'accepted':
        kept.beatRecorded(sentAt);
        if (answer.cancelRequested) kept.attempt.abort(new CancelRequested('The job is to be cancelled'));
        return;
      case 'refused':
        kept.beatRefused(new Error(`The heartbeat was refused: ${answer.detail}`), sentAt);
        return;
      case 'lost':
        kept.attempt.lose(new LeaseLost('The lease was ended; another worker may hold the job'));
        this.letGo(kept.attempt);
    }
  }

  #giveUp({ attempt }: KeptLease): void {
    attempt.log.warn('the lease could not be extended in time; the handler is told to stop');
    attempt.abort(new LeaseLost('The lease could not be extended in time'));
    this.letGo(attempt);
  }
}

function overReason(attempt: Attempt): AbortReason {
  return attempt.abortReason ?? new LeaseLost('The attempt is over');
}
