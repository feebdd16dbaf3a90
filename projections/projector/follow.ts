import type { Page, Position } from '#log/port';
import { pause, settledWithin } from '#runtime/timer';
import { type AppliedPage, applyPage, type PageContext } from './apply-page.ts';
import { moveCheckpoint, type Ownership } from './ownership.ts';
import { lingerMs } from './pace.ts';

export interface Following extends PageContext {
  readonly pageSize: number;
  /** Ends the work; the page under way is finished. */
  readonly signal: AbortSignal;
  /** The ownership was prolonged, since the checkpoint moved. */
  onMoved(): void;
  /** The tables show everything up to `next`, whether or not the checkpoint says so already. */
  onApplied(applied: AppliedPage, next: Position): void;
}

/** A checkpoint that has only to be moved over events of other projections is moved no more often than this. */
const MOVE_EVERY_MS = 100;

/**
 * Applies what is behind the checkpoint, page by page, and then what comes, until the signal aborts or the log is closed.
 * @throws OwnershipLost, and what reading and writing throw
 */
export async function followLog(taken: Ownership, options: Following): Promise<void> {
  const { log, pageSize } = options;
  const leaving = new AbortController();
  const signal = AbortSignal.any([options.signal, leaving.signal]);
  const checkpoint = new Checkpoint(taken, options);
  try {
    const pages = log.subscribe({ after: taken.position, pageSize, signal })[Symbol.asyncIterator]();
    for (;;) {
      const page = await checkpoint.movedWhile(pages.next());
      if (page.done || signal.aborted) break;
      const begunAt = performance.now();
      await checkpoint.apply(page.value);
      if (page.value.events.length < pageSize) {
        await pause(lingerMs(page.value.events.length) - (performance.now() - begunAt), signal);
      }
    }
    await checkpoint.catchUp();
  } finally {
    leaving.abort();
  }
}

/** Where the tables are, and how far the checkpoint has been told of it. */
class Checkpoint {
  readonly #options: Following;
  #owned: Ownership;
  #seen: Position | null;
  #movedAt = Number.NEGATIVE_INFINITY;

  constructor(taken: Ownership, options: Following) {
    this.#options = options;
    this.#owned = taken;
    this.#seen = taken.position;
  }

  async apply(page: Page): Promise<void> {
    const applied = await applyPage(this.#options, this.#owned, page);
    if (applied.owned !== this.#owned) this.#moved(applied.owned);
    this.#seen = page.next;
    this.#options.onApplied(applied, page.next);
  }

  /** Waits for what comes; moves the checkpoint meanwhile, when it is behind and its time has come. */
  async movedWhile<T>(coming: Promise<T>): Promise<T> {
    if (this.#isBehind()) {
      const leftMs = this.#movedAt + MOVE_EVERY_MS - performance.now();
      if (leftMs <= 0 || !(await settledWithin(coming, leftMs))) {
        // Its failure is heard when it is awaited; until then it must not count as unhandled.
        coming.catch(() => undefined);
        await this.catchUp();
      }
    }
    return coming;
  }

  async catchUp(): Promise<void> {
    if (this.#seen === null || !this.#isBehind()) return;
    this.#moved(await moveCheckpoint(this.#options.pool, this.#owned, this.#seen, null));
  }

  #isBehind(): boolean {
    return this.#seen !== this.#owned.position;
  }

  #moved(owned: Ownership): void {
    this.#owned = owned;
    this.#movedAt = performance.now();
    this.#options.onMoved();
  }
}
