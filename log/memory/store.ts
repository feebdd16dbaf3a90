import { randomUUID } from 'node:crypto';
import {
  type AppendResult,
  type AtomicAppendResult,
  type EventLog,
  ForeignPosition,
  LogUnavailable,
  type Page,
  type Position,
  type ReadStreamOptions,
  type RecordedEvent,
  type StreamAppend,
  type SubscriptionOptions,
} from '../port.ts';
import { type Positions, positionsOf } from '../position.ts';
import { SharedReads } from '../shared-reads.ts';
import { subscribePages } from '../subscription.ts';
import { checkAppend } from '../usage.ts';
import { WakeUps } from '../wake-ups.ts';
import { judgeRefused } from './refusal.ts';
import { selectEvents } from './select-events.ts';

const POLL_MS = 1000;

/**
 * The event log for unit tests and the simulation. It keeps the contract of the durable stores but for one guard: an
 * illegal move of a job is refused by the domain alone.
 */
export class MemoryLog implements EventLog {
  readonly id: string;
  readonly #positions: Positions;
  readonly #all: RecordedEvent[] = [];
  readonly #streams = new Map<string, RecordedEvent[]>();
  readonly #wakeUps = new WakeUps();
  readonly #reads = new SharedReads(async (after, limit) => {
    const page = await this.readAll(after, limit);
    return { ...page, size: 0, isEnd: page.events.length < limit };
  }, this.#wakeUps);
  readonly #closing = new AbortController();

  constructor(id: string = randomUUID()) {
    this.id = id;
    this.#positions = positionsOf(id);
  }

  async append(appends: readonly StreamAppend[]): Promise<readonly AppendResult[]> {
    if (this.#closing.signal.aborted) throw new LogUnavailable('the log is closed');
    for (const append of appends) checkAppend(append);
    const results = appends.map((append) => this.#appendOne(append));
    this.#wakeUps.wake();
    return results;
  }

  async appendAtomically(appends: readonly StreamAppend[]): Promise<AtomicAppendResult> {
    const conflicts = [...appends.keys()].filter((index) => this.#isRefused(appends[index] as StreamAppend));
    if (conflicts.length > 0) return { kind: 'refused', conflicts };
    const results = await this.append(appends);
    return { kind: 'appended', results: results.filter((result) => result.kind === 'appended') };
  }

  async readStream(stream: string, options: ReadStreamOptions = {}): Promise<readonly RecordedEvent[]> {
    return selectEvents(this.#streams.get(stream) ?? [], options);
  }

  async readStreams(streams: readonly string[]): Promise<ReadonlyMap<string, readonly RecordedEvent[]>> {
    return new Map(streams.map((stream) => [stream, [...(this.#streams.get(stream) ?? [])]]));
  }

  async readAll(after: Position | null, limit: number): Promise<Page> {
    const from = after === null ? 0 : this.#numberOf(after);
    const events = this.#all.slice(from, from + limit);
    return { events, next: this.#positions.format(from + events.length) };
  }

  async head(): Promise<Position> {
    return this.#positions.format(this.#all.length);
  }

  async checkPosition(position: string): Promise<Position> {
    this.#numberOf(position);
    return position;
  }

  subscribe(options: SubscriptionOptions): AsyncIterable<Page> {
    const feed = { reads: this.#reads, wakeUps: this.#wakeUps, pollMs: POLL_MS };
    return subscribePages(feed, { ...options, signal: AbortSignal.any([options.signal, this.#closing.signal]) });
  }

  async close(): Promise<void> {
    this.#closing.abort();
  }

  #appendOne(append: StreamAppend): AppendResult {
    const stored = this.#streams.get(append.stream) ?? [];
    if (append.expectedVersion !== stored.length - 1) return judgeRefused(append, stored);
    this.#streams.set(append.stream, stored);
    for (const event of append.events) {
      const recorded = deepFreeze({
        ...(JSON.parse(JSON.stringify(event)) as typeof event),
        stream: append.stream,
        version: stored.length,
        position: this.#positions.format(this.#all.length + 1),
      });
      stored.push(recorded);
      this.#all.push(recorded);
    }
    const position = this.#positions.format(this.#all.length);
    return { kind: 'appended', version: stored.length - 1, position, repeated: false };
  }

  #isRefused(append: StreamAppend): boolean {
    const stored = this.#streams.get(append.stream) ?? [];
    return append.expectedVersion !== stored.length - 1 && judgeRefused(append, stored).kind === 'conflict';
  }

  #numberOf(position: string): number {
    const number = this.#positions.parse(position);
    if (number > this.#all.length) throw new ForeignPosition(`position ${position} lies beyond the head`);
    return number;
  }
}

/** What was recorded is shared between readers, so none of them may change it. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
