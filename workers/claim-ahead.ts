import type { HeldLease } from './gateway.ts';

/** A claimed job that waits for a free slot. */
export interface WaitingLease {
  readonly lease: HeldLease;
  /** See `ClaimAnswer`. */
  readonly claimedAt: number;
  readonly arrivedAt: number;
}

/** The most that wait. Twice as many were no faster. */
const MOST_WAITING = 500;
/** What waits together may be this large, so that large payloads do not fill the memory. */
const MOST_WAITING_BYTES = 16 * 2 ** 20;
/** As many may wait as slots came free within this time, lately. */
const HORIZON_MS = 100;
/** A shorter look at how fast slots come free tells chance. */
const SHORTEST_LOOK_MS = 10;
/** A job that has waited so long is handed back: slots that are taken for longer need no jobs in store. */
export const LONGEST_WAIT_MS = 500;
const SAMPLES = 8;

/**
 * Jobs claimed ahead of free slots. One claim costs the database about the same for one job as for fifty, so a worker whose
 * handlers are short would spend its time asking. How many it may hold is learned, never set: what came free in a tenth of
 * a second since the last claim, so nothing while handlers take their time. A worker that dies costs those jobs one attempt
 * each, and none of them waits here for long while another worker is idle.
 */
export class ClaimAhead {
  readonly #now: () => number;
  #waiting: WaitingLease[] = [];
  #next = 0;
  #room = 0;
  /** How many slots came free since the look began. */
  #freed = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #bytesEach = 0;

  /** @param now - Milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get size(): number {
    return this.#waiting.length - this.#next;
  }

  /** Since when the oldest has waited; null when none waits. */
  get oldestArrivedAt(): number | null {
    return this.#waiting[this.#next]?.arrivedAt ?? null;
  }

  /** A handler has ended. */
  slotFreed(): void {
    this.#freed += 1;
  }

  /** How many jobs to ask for when so many slots are free: half of the store at once, so that claims stay large. */
  wanted(freeSlots: number): number {
    const spare = this.size - freeSlots;
    const room = this.#bytesEach === 0 ? 0 : Math.min(this.#room, Math.floor(MOST_WAITING_BYTES / this.#bytesEach));
    return spare < 0 || spare <= room / 2 ? Math.max(0, room - spare) : 0;
  }

  /** Takes the answer to a claim of `asked` jobs. */
  add(leases: readonly HeldLease[], asked: number, claimedAt: number): void {
    const arrivedAt = this.#now();
    this.#learn(leases.length, asked, arrivedAt);
    this.#weigh(leases);
    for (const lease of leases) this.#waiting.push({ lease, claimedAt, arrivedAt });
  }

  /** The oldest, to be started now. */
  next(): WaitingLease | undefined {
    const waiting = this.#waiting[this.#next];
    if (waiting === undefined) return undefined;
    this.#next += 1;
    if (this.#next === this.#waiting.length) this.#clear();
    return waiting;
  }

  /** All of them, to be handed back; the next claims bring what free slots take and no more. */
  takeAll(): readonly WaitingLease[] {
    const waiting = this.#waiting.slice(this.#next);
    this.#clear();
    this.#room = 0;
    return waiting;
  }

  #learn(got: number, asked: number, now: number): void {
    const lookedMs = now - this.#lookedAt;
    if (got > 0 && lookedMs < SHORTEST_LOOK_MS) return;
    const turnover = Math.floor((this.#freed * HORIZON_MS) / lookedMs);
    // Fewer than were asked for: others were quicker, or there is no more.
    const most = got === asked ? MOST_WAITING : Math.floor(this.#room / 2);
    this.#room = got === 0 ? 0 : Math.min(turnover, most);
    this.#freed = 0;
    this.#lookedAt = now;
  }

  #weigh(leases: readonly HeldLease[]): void {
    let largest = 0;
    for (let at = 0; at < leases.length; at += Math.ceil(leases.length / SAMPLES)) {
      largest = Math.max(largest, JSON.stringify(leases[at]?.job.payload).length);
    }
    this.#bytesEach = Math.max(largest, this.#bytesEach * 0.9);
  }

  #clear(): void {
    this.#waiting = [];
    this.#next = 0;
  }
}
