import type { HeldLease } from './gateway.ts';

/** A claimed job that waits for a free slot. */
export interface WaitingLease {
  readonly lease: HeldLease;
  /** See `ClaimAnswer`. */
  readonly claimedAt: number;
  readonly arrivedAt: number;
}

/** The most that wait. Twice as many were no faster, and took twice the memory. */
const MOST_WAITING = 500;
/** What waits together may be this large, so that large payloads do not fill the memory. */
const MOST_WAITING_BYTES = 16 * 2 ** 20;
/** Claims grow while what they bring is used up within this time, and shrink when it lasts longer than the other. */
const SOON_MS = 100;
const LATE_MS = 250;
/** A job that has waited so long is handed back: slots that are taken for longer need no jobs in store. */
export const LONGEST_WAIT_MS = 500;

/**
 * Jobs claimed ahead of free slots. One claim costs the database about the same for one job as for fifty, so a worker whose
 * handlers are short would spend its time asking. How many it may hold is learned, never set: nothing while handlers take
 * their time, and at most what it starts within a quarter of a second. So a worker that dies costs a few jobs more one
 * lease, and none of them waits here while another worker is idle.
 */
export class ClaimAhead {
  readonly #concurrency: number;
  #waiting: WaitingLease[] = [];
  #next = 0;
  #room = 0;
  #arrivedAt = Number.NEGATIVE_INFINITY;
  /** When more was wanted than the last answer brought; null while it is not. */
  #wantedAt: number | null = null;
  #longestWaitMs = 0;
  #bytesEach = 0;

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  get size(): number {
    return this.#waiting.length - this.#next;
  }

  /** Since when the oldest has waited, by `performance.now()`; null when none waits. */
  get oldestArrivedAt(): number | null {
    return this.#waiting[this.#next]?.arrivedAt ?? null;
  }

  /** How many jobs to ask for when so many slots are free: half of the store at once, so that claims stay large. */
  wanted(freeSlots: number): number {
    const spare = this.size - freeSlots;
    const room = this.#roomForSize();
    const wanted = spare < 0 || spare <= room / 2 ? Math.max(0, room - spare) : 0;
    if (wanted > 0) this.#wantedAt ??= performance.now();
    return wanted;
  }

  /** Takes the answer to a claim of `asked` jobs. */
  add(leases: readonly HeldLease[], asked: number, claimedAt: number): void {
    const arrivedAt = performance.now();
    this.#learn(leases.length, asked);
    this.#arrivedAt = arrivedAt;
    this.#wantedAt = null;
    this.#longestWaitMs = 0;
    const [sample] = leases;
    if (sample) this.#bytesEach = Math.max(JSON.stringify(sample.job.payload).length, this.#bytesEach * 0.9);
    for (const lease of leases) this.#waiting.push({ lease, claimedAt, arrivedAt });
  }

  /** The oldest, to be started now. */
  next(): WaitingLease | undefined {
    const waiting = this.#waiting[this.#next];
    if (waiting === undefined) return undefined;
    this.#next += 1;
    this.#longestWaitMs = Math.max(this.#longestWaitMs, performance.now() - waiting.arrivedAt);
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

  #learn(got: number, asked: number): void {
    // How long the answer before this one lasted, and how long its last job waited for a slot.
    const lastedMs = Math.max((this.#wantedAt ?? performance.now()) - this.#arrivedAt, this.#longestWaitMs);
    if (got === 0) this.#room = 0;
    else if (got < asked || lastedMs > LATE_MS) this.#room = Math.floor(this.#room / 2);
    else if (lastedMs < SOON_MS) {
      this.#room = Math.min(MOST_WAITING, Math.max(this.#concurrency, 2 * this.#room));
    }
  }

  #roomForSize(): number {
    return this.#bytesEach === 0 ? 0 : Math.min(this.#room, Math.floor(MOST_WAITING_BYTES / this.#bytesEach));
  }

  #clear(): void {
    this.#waiting = [];
    this.#next = 0;
  }
}
