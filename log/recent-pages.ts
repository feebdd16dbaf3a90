import type { Page, Position, RecordedEvent } from './port.ts';

interface Piece {
  readonly after: Position;
  readonly events: readonly RecordedEvent[];
  readonly next: Position;
  readonly size: number;
}

export interface RecentPagesLimits {
  readonly events: number;
  /** In characters of the events' documents. */
  readonly size: number;
}

/** Before every position. */
const START = '';

/**
 * The latest stretch of the log that was read, without holes: each page begins where the one before it ended. The oldest
 * pages are forgotten when it grows beyond its limits, so it holds no more than those, however slow its readers are.
 */
export class RecentPages {
  readonly #limits: RecentPagesLimits;
  #pieces: Piece[] = [];
  #events = 0;
  #size = 0;

  constructor(limits: RecentPagesLimits) {
    this.#limits = limits;
  }

  /** Keeps what was read behind `after`, unless something later is kept already. `size` counts characters of documents. */
  add(after: Position | null, { events, next }: Page, size: number): void {
    if (events.length === 0) return;
    const last = this.#pieces.at(-1);
    if (last !== undefined && after !== last.next) {
      if (next <= last.next) return;
      this.clear();
    }
    this.#pieces.push({ after: after ?? START, events, next, size });
    this.#events += events.length;
    this.#size += size;
    while (this.#events > this.#limits.events || this.#size > this.#limits.size) this.#forgetOldest();
  }

  /** The next events behind a position, at most `limit`; undefined when that place is not kept, or nothing is behind it. */
  after(position: Position | null, limit: number): Page | undefined {
    const place = position ?? START;
    const last = this.#pieces.at(-1);
    if (last === undefined || place >= last.next) return undefined;
    // From the end, since that is where readers are.
    const first = this.#pieces.findLastIndex((piece) => piece.after <= place);
    const piece = this.#pieces[first];
    const skipped = piece && offsetOf(piece, place);
    if (piece === undefined || skipped === undefined) return undefined;
    if (piece === last && skipped === 0 && piece.events.length <= limit) return piece;
    const events: RecordedEvent[] = [];
    for (const { events: kept } of this.#pieces.slice(first)) {
      const from = events.length === 0 ? skipped : 0;
      for (let at = from; at < kept.length && events.length < limit; at += 1) events.push(kept[at] as RecordedEvent);
    }
    return { events, next: (events.at(-1) as RecordedEvent).position };
  }

  clear(): void {
    this.#pieces = [];
    this.#events = 0;
    this.#size = 0;
  }

  #forgetOldest(): void {
    const oldest = this.#pieces.shift();
    this.#events -= oldest?.events.length ?? 0;
    this.#size -= oldest?.size ?? 0;
  }
}

/** How many of a piece's events lie up to a position; undefined for a text that is the place of none of them. */
function offsetOf({ after, events }: Piece, position: Position): number | undefined {
  if (position === after) return 0;
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((events[middle] as RecordedEvent).position < position) low = middle + 1;
    else high = middle;
  }
  return events[low]?.position === position ? low + 1 : undefined;
}
