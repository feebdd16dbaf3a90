import { LogUnavailable } from '../port.ts';
import type { EncodedAppend } from './encoding.ts';

/** An append on its way, with what becomes of it. */
export interface QueuedAppend<Outcome> {
  readonly encoded: EncodedAppend;
  settle(outcome: Outcome): void;
}

export interface FlushLimits {
  /** Flushes under way at once; each takes one connection. */
  readonly lanes: number;
  readonly flushEvents: number;
  /** Length of the JSON texts of one flush. A single append may exceed it. */
  readonly flushSize: number;
  readonly waitingAppends: number;
  readonly waitingSize: number;
}

/**
 * Gathers the appends of a process into flushes, so that durability is paid once per flush. There is no timer: with a
 * lane free, what one turn of the event loop brought goes out at its end; else it goes with the next flush.
 *
 * A stream is in one flush at a time, and its appends keep their order: the second waits in the stream's own line until
 * the first is settled.
 */
export class FlushQueue<Outcome> {
  readonly #flush: (appends: readonly QueuedAppend<Outcome>[]) => Promise<void>;
  readonly #limits: FlushLimits;
  /** A stream has a line as long as one of its appends is ready or under way. */
  readonly #lines = new Map<string, QueuedAppend<Outcome>[]>();
  #ready: QueuedAppend<Outcome>[] = [];
  #waitingAppends = 0;
  #waitingSize = 0;
  #lanesInUse = 0;
  #pumpIsDue = false;
  #idle = Promise.withResolvers<void>();

  /** `flush` settles every append it is given, and never rejects. */
  constructor(flush: (appends: readonly QueuedAppend<Outcome>[]) => Promise<void>, limits: FlushLimits) {
    this.#flush = flush;
    this.#limits = limits;
    this.#idle.resolve();
  }

  /**
   * Takes all or none. A call that is larger than the queue itself is let in when nothing waits.
   * @throws LogUnavailable when too much is waiting already
   */
  add(appends: readonly QueuedAppend<Outcome>[]): void {
    if (appends.length === 0) return;
    const size = appends.reduce((sum, { encoded }) => sum + encoded.size, 0);
    const isOverloaded =
      this.#waitingAppends + appends.length > this.#limits.waitingAppends ||
      this.#waitingSize + size > this.#limits.waitingSize;
    if (isOverloaded && this.#waitingAppends > 0) throw new LogUnavailable('overloaded: too many appends are waiting');
    if (this.#isIdle()) this.#idle = Promise.withResolvers();
    this.#waitingAppends += appends.length;
    this.#waitingSize += size;
    for (const queued of appends) this.#line(queued);
    this.#schedulePump();
  }

  /** Resolves when nothing waits and nothing is under way. */
  whenIdle(): Promise<void> {
    return this.#idle.promise;
  }

  #isIdle(): boolean {
    return this.#waitingAppends === 0 && this.#lanesInUse === 0;
  }

  #line(queued: QueuedAppend<Outcome>): void {
    const line = this.#lines.get(queued.encoded.append.stream);
    if (line !== undefined) {
      line.push(queued);
      return;
    }
    this.#lines.set(queued.encoded.append.stream, []);
    this.#ready.push(queued);
  }

  #schedulePump(): void {
    if (this.#pumpIsDue) return;
    this.#pumpIsDue = true;
    setImmediate(() => {
      this.#pumpIsDue = false;
      while (this.#lanesInUse < this.#limits.lanes && this.#ready.length > 0) void this.#run(this.#takeFlush());
    });
  }

  #takeFlush(): readonly QueuedAppend<Outcome>[] {
    let count = 0;
    let events = 0;
    let size = 0;
    for (const { encoded } of this.#ready) {
      events += encoded.append.events.length;
      size += encoded.size;
      if (count > 0 && (events > this.#limits.flushEvents || size > this.#limits.flushSize)) break;
      count += 1;
    }
    return this.#ready.splice(0, count);
  }

  async #run(flush: readonly QueuedAppend<Outcome>[]): Promise<void> {
    this.#lanesInUse += 1;
    for (const { encoded } of flush) this.#waitingSize -= encoded.size;
    this.#waitingAppends -= flush.length;
    await this.#flush(flush);
    this.#lanesInUse -= 1;
    for (const { encoded } of flush) this.#advance(encoded.append.stream);
    if (this.#ready.length > 0) this.#schedulePump();
    if (this.#isIdle()) this.#idle.resolve();
  }

  #advance(stream: string): void {
    const next = this.#lines.get(stream)?.shift();
    if (next === undefined) this.#lines.delete(stream);
    else this.#ready.push(next);
  }
}
