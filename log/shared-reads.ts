import type { Page, Position } from './port.ts';
import { RecentPages } from './recent-pages.ts';
import type { WakeUps } from './wake-ups.ts';

/** A page as the store read it. */
export interface FreshPage extends Page {
  /** Characters of the events' documents: what it takes in memory, nearly. */
  readonly size: number;
  /** Nothing was behind it. Being shorter than what was asked for is no sign of that. */
  readonly isEnd: boolean;
}

/** What a reader is told. It is shared between readers, so nobody may change it. */
export interface Look {
  readonly page: Page;
  /** Nothing was behind the page when the log was last read. */
  readonly isEnd: boolean;
  /** How often readers had been woken when that read began: what to wait with, so that no later wake-up is missed. */
  readonly seen: number;
}

export interface LookOptions {
  readonly after: Position | null;
  readonly limit: number;
  /**
   * Ask the store even when nobody was woken since it was found to have nothing behind this place: for the first look of
   * a reader, which checks its position, and for polls, which exist for the wake-ups that were lost.
   */
  readonly anew: boolean;
}

const KEPT = { events: 4000, size: 4 * 2 ** 20 };

/**
 * Reads of the log shared by all who follow it in one process. Those who stand at the same place join the read that is
 * under way there, and those who come a moment later find what it brought: followers at the head cost one read, however
 * many they are.
 *
 * No wake-up is lost by that. A read tells how often readers had been woken when it began. Who joins it late, after a
 * wake-up that the read may not have heeded, is told the older count, and so does not wait but looks again.
 */
export class SharedReads {
  readonly #read: (after: Position | null, limit: number) => Promise<FreshPage>;
  readonly #wakeUps: Pick<WakeUps, 'count'>;
  readonly #recent = new RecentPages(KEPT);
  readonly #underWay = new Map<Position | null, Promise<Look>>();
  /** The last place that was found to be the end, and the wake-ups up to then. */
  #end: { readonly at: Position; readonly seen: number } | undefined;

  constructor(read: (after: Position | null, limit: number) => Promise<FreshPage>, wakeUps: Pick<WakeUps, 'count'>) {
    this.#read = read;
    this.#wakeUps = wakeUps;
  }

  /** The events behind a position, at most `limit`. @throws what the read throws */
  async look({ after, limit, anew }: LookOptions): Promise<Look> {
    const kept = this.#recent.after(after, limit);
    if (kept !== undefined) return this.#lookAt(kept);
    if (!anew && this.#end?.at === after && this.#end.seen === this.#wakeUps.count) {
      return { page: { events: [], next: this.#end.at }, isEnd: true, seen: this.#end.seen };
    }
    const look = await (this.#underWay.get(after) ?? this.#begin(after, limit));
    return look.page.events.length > limit ? firstOf(look, limit) : look;
  }

  #lookAt(page: Page): Look {
    const end = this.#end?.at === page.next ? this.#end : undefined;
    return { page, isEnd: end !== undefined, seen: end?.seen ?? this.#wakeUps.count };
  }

  #begin(after: Position | null, limit: number): Promise<Look> {
    const reading = this.#readFrom(after, limit).finally(() => this.#underWay.delete(after));
    this.#underWay.set(after, reading);
    return reading;
  }

  async #readFrom(after: Position | null, limit: number): Promise<Look> {
    const seen = this.#wakeUps.count;
    try {
      const { events, next, size, isEnd } = await this.#read(after, limit);
      const page = { events, next };
      this.#recent.add(after, page, size);
      if (isEnd && (this.#end === undefined || this.#end.at <= next)) this.#end = { at: next, seen };
      return { page, isEnd, seen };
    } catch (error) {
      // Who comes back after an outage may come back to a log that was put back to an earlier state.
      this.#recent.clear();
      this.#end = undefined;
      throw error;
    }
  }
}

function firstOf({ page, seen }: Look, limit: number): Look {
  const events = page.events.slice(0, limit);
  return { page: { events, next: events.at(-1)?.position as Position }, isEnd: false, seen };
}
