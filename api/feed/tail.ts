import type { FeedLog, FeedPage, Position, StoredEvent } from '../ports.ts';

interface Waiter {
  readonly wants: (event: StoredEvent) => boolean;
  readonly wake: (happened: boolean) => void;
}

/** A page of the log with the place it begins at. */
interface Piece {
  readonly after: Position;
  readonly page: FeedPage;
}

/** As the other followers of the log in this process, with whom a read is shared. */
const PAGE_SIZE = 2000;
const KEPT_EVENTS = 1000;
const RESTART_MS = 500;

/**
 * What is new in the log, read once for all who wait in this process: feeds that have caught up, long polls on a job,
 * lease calls. It starts with the first of them. The latest pages are kept, so that whoever is a moment behind need not
 * read them again.
 */
export class FeedTail {
  readonly #log: FeedLog;
  readonly #closing: AbortSignal;
  readonly #onError: (error: unknown) => void;
  readonly #waiters = new Set<Waiter>();
  #kept: Piece[] = [];
  #started: Promise<Position> | undefined;
  #position: Position | undefined;

  constructor(log: FeedLog, closing: AbortSignal, onError: (error: unknown) => void) {
    this.#log = log;
    this.#closing = closing;
    this.#onError = onError;
    closing.addEventListener('abort', () => this.#wakeAll(), { once: true });
  }

  /** Begins to follow the log, if nobody has asked before. What is appended from then on wakes those who wait for it. */
  async start(): Promise<void> {
    this.#started ??= this.#log.head().then((head) => {
      this.#position = head;
      void this.#follow(head);
      return head;
    });
    await this.#started.catch((error) => {
      this.#started = undefined;
      throw error;
    });
  }

  /** The events after a position, when the tail still has them; undefined when they have to be read, or waited for. */
  pageAfter(after: Position): FeedPage | undefined {
    const piece = this.#kept.find(({ page }) => page.next > after);
    if (piece === undefined || piece.after > after) return undefined;
    return { next: piece.page.next, events: piece.page.events.filter(({ position }) => position > after) };
  }

  /** Whether the tail has nothing after a position. The log may be further already: whoever must know asks the log. */
  isAtEnd(after: Position): boolean {
    return this.#position !== undefined && after >= this.#position;
  }

  /**
   * Waits for an event. Register first, then look at the state the event would change: then none is missed.
   * @returns True when it came, false when the time was over, the signal aborted or the server closes.
   */
  next(wants: Waiter['wants'], { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal }): Promise<boolean> {
    if (signal.aborted || this.#closing.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        wants,
        wake: (happened) => {
          this.#waiters.delete(waiter);
          clearTimeout(timer);
          signal.removeEventListener('abort', stop);
          resolve(happened);
        },
      };
      const stop = () => waiter.wake(false);
      const timer = setTimeout(stop, Math.max(0, timeoutMs));
      signal.addEventListener('abort', stop, { once: true });
      this.#waiters.add(waiter);
    });
  }

  async #follow(start: Position): Promise<void> {
    let after = start;
    while (!this.#closing.aborted) {
      try {
        for await (const page of this.#log.subscribe({ after, pageSize: PAGE_SIZE, signal: this.#closing })) {
          this.#take({ after, page });
          after = page.next;
        }
      } catch (error) {
        this.#onError(error);
      }
      if (!this.#closing.aborted) await new Promise((resolve) => setTimeout(resolve, RESTART_MS).unref());
    }
  }

  #take(piece: Piece): void {
    this.#kept.push(piece);
    this.#position = piece.page.next;
    let kept = this.#kept.reduce((sum, { page }) => sum + page.events.length, 0);
    while (kept > KEPT_EVENTS && this.#kept.length > 1) kept -= this.#kept.shift()?.page.events.length ?? 0;
    for (const waiter of [...this.#waiters]) {
      if (piece.page.events.some(waiter.wants)) waiter.wake(true);
    }
  }

  #wakeAll(): void {
    for (const waiter of [...this.#waiters]) waiter.wake(false);
  }
}
