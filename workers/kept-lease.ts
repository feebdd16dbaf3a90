import type { AbortReason } from './abort-reasons.ts';
import type { Attempt, Mark } from './attempt.ts';
import type { Beat, Report } from './gateway.ts';

/** A worker stops this much before its lease ends, at most a second. */
const MARGIN = 0.1;
const LONGEST_MARGIN_MS = 1000;

/** When one attempt's lease wants a beat and when it is over, by the monotonic clock of this process. */
export class KeptLease {
  readonly attempt: Attempt;
  readonly #leaseMs: number;
  #beatAt: number;
  #endsAt: number;
  #underWay: Mark | null = null;
  #wanted: Mark | null = null;
  /** Who waits for the beat that is under way, and for the next one. */
  #sent: PromiseWithResolvers<void> | null = null;
  #next: PromiseWithResolvers<void> | null = null;

  constructor(attempt: Attempt, claimedAt: number) {
    this.attempt = attempt;
    this.#leaseMs = attempt.lease.leaseSeconds * 1000;
    this.#beatAt = claimedAt + this.#leaseMs / 3;
    this.#endsAt = claimedAt + this.#leaseMs;
  }

  /** A mark waits and no beat is under way. */
  get wanted(): boolean {
    return this.#wanted !== null && this.#underWay === null;
  }

  beatDueAt(now: number): boolean {
    return this.#underWay === null && now >= this.#beatAt;
  }

  overAt(now: number): boolean {
    return now >= this.#endsAt - Math.min(LONGEST_MARGIN_MS, this.#leaseMs * MARGIN);
  }

  /** The next beat carries the mark; later marks win. @returns Settled when that beat is recorded. */
  want(mark: Mark): Promise<void> {
    this.#wanted = { ...this.#wanted, ...mark };
    this.#next ??= Promise.withResolvers<void>();
    return this.#next.promise;
  }

  beginBeat(): Report<Beat> {
    const mark = this.#wanted ?? {};
    this.#underWay = mark;
    this.#wanted = null;
    this.#sent = this.#next;
    this.#next = null;
    return {
      jobId: this.attempt.jobId,
      command: { kind: 'heartbeat', fencingToken: this.attempt.fencingToken, ...mark },
    };
  }

  /** The scheduler counts from when it got the beat, which was not before it was sent. */
  beatRecorded(sentAt: number): void {
    this.#underWay = null;
    this.#beatAt = sentAt + this.#leaseMs / 3;
    this.#endsAt = sentAt + this.#leaseMs;
    this.#sent?.resolve();
    this.#sent = null;
  }

  /** The mark goes out with the next try, unless a newer one replaced it. */
  beatFailed(retryAt: number): void {
    const mark = this.#underWay;
    this.#underWay = null;
    this.#beatAt = Math.min(retryAt, this.#endsAt);
    if (this.#sent === null) return;
    this.#wanted = { ...mark, ...this.#wanted };
    const waiting = this.#sent;
    this.#sent = null;
    if (this.#next === null) this.#next = waiting;
    else this.#next.promise.then(waiting.resolve, waiting.reject);
  }

  /** The mark was not acceptable and is dropped; the lease was not extended, so a beat without it follows. */
  beatRefused(error: Error, sentAt: number): void {
    this.#underWay = null;
    this.#beatAt = sentAt + this.#leaseMs / 12;
    this.#sent?.reject(error);
    this.#sent = null;
  }

  /** @param reason - Made only when somebody waits for a beat: an error takes its time to look up where it was made. */
  end(reason: () => AbortReason): void {
    if (this.#sent === null && this.#next === null) return;
    const error = reason();
    this.#sent?.reject(error);
    this.#next?.reject(error);
  }
}
