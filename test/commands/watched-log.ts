import type {
  AppendResult,
  AtomicAppendResult,
  EventLog,
  Page,
  Position,
  ReadStreamOptions,
  RecordedEvent,
  StreamAppend,
  SubscriptionOptions,
} from '#log/port';

/** A real log that a test may step into: between what a command read and its append, or before its answer arrives. */
export class WatchedLog implements EventLog {
  readonly id: string;
  /** Streams that were read, by name, in order. */
  readonly reads: string[] = [];
  /** Types of the events that reads of one stream answered, in order. */
  readonly eventsRead: string[] = [];
  readonly #spoiled = new Set<string>();
  /** Appends that were asked for, in order. */
  readonly appends: StreamAppend[] = [];
  readonly #log: EventLog;
  #before: (() => Promise<unknown>)[] = [];
  #after: ((results: readonly AppendResult[]) => void)[] = [];

  constructor(log: EventLog) {
    this.#log = log;
    this.id = log.id;
  }

  /** Runs once before the next append; called again, before the one after that. */
  beforeNextAppend(action: () => Promise<unknown>): void {
    this.#before.push(action);
  }

  /** Runs once after the next append was written; what it throws is what the writer gets instead of the answer. */
  afterNextAppend(action: (results: readonly AppendResult[]) => void): void {
    this.#after.push(action);
  }

  /** Gives the next append to a stream a mark that no job can have: the database refuses it. */
  spoilNextAppendOf(stream: string): void {
    this.#spoiled.add(stream);
  }

  async append(appends: readonly StreamAppend[]): Promise<readonly AppendResult[]> {
    this.appends.push(...appends);
    await this.#before.shift()?.();
    const results = await this.#log.append(appends.map((append) => this.#spoil(append)));
    this.#after.shift()?.(results);
    return results;
  }

  async appendAtomically(appends: readonly StreamAppend[]): Promise<AtomicAppendResult> {
    await this.#before.shift()?.();
    if (!this.#log.appendAtomically) throw new Error('the log cannot append atomically');
    return this.#log.appendAtomically(appends);
  }

  async readStream(stream: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    this.reads.push(stream);
    const events = await this.#log.readStream(stream, options);
    this.eventsRead.push(...events.map(({ type }) => type));
    return events;
  }

  #spoil(append: StreamAppend): StreamAppend {
    if (!this.#spoiled.delete(append.stream)) return append;
    return {
      ...append,
      events: append.events.map((event) => ({ ...event, mark: { status: 'pending', fencingToken: 99 } })),
    };
  }

  readStreams(streams: readonly string[]): Promise<ReadonlyMap<string, readonly RecordedEvent[]>> {
    this.reads.push(...streams);
    return this.#log.readStreams(streams);
  }

  readAll(after: Position | null, limit: number): Promise<Page> {
    return this.#log.readAll(after, limit);
  }

  head(): Promise<Position> {
    return this.#log.head();
  }

  checkPosition(position: string): Promise<Position> {
    return this.#log.checkPosition(position);
  }

  subscribe(options: SubscriptionOptions): AsyncIterable<Page> {
    return this.#log.subscribe(options);
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}
