/**
 * The event log: streams of immutable events, each append naming the version it expects.
 *
 * The expected version is the fence of the whole product: whoever lost a stream cannot write one more event to it.
 * "Any version" therefore has no spelling here.
 */

/** Opaque place in the log: ordered as text within one log, and bound to that log's identity. */
export type Position = string;

/** Version of the last event a writer knows of; `NO_STREAM` when it claims that the stream does not exist. */
export type ExpectedVersion = number;

export const NO_STREAM: ExpectedVersion = -1;

/** JSON text is what is stored, so a value must survive `JSON.parse(JSON.stringify(value))` unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** What is kept about an event beside its data. Absent fields do not apply. */
export interface EventMetadata {
  readonly schema_version: number;
  /** `key:<id>`, `worker:<id>`, `schedule:<name>`, `system:<part>` or `anonymous`. */
  readonly actor: string;
  readonly request_id?: string;
  readonly $correlationId?: string;
  readonly $causationId?: string;
  readonly traceparent?: string;
}

/** The status and fencing token of a job after an event; kept beside the event so that the database can refuse illegal moves. */
export interface JobMark {
  readonly status: string;
  readonly fencingToken: number;
}

export interface NewEvent {
  /** UUID. A repeated append after an unknown outcome carries the same ids. */
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: EventMetadata;
  /** Epoch milliseconds by the one clock, never earlier than the stream's previous event. */
  readonly recordedAt: number;
  /** Job streams only. */
  readonly mark?: JobMark;
}

export interface RecordedEvent extends NewEvent {
  readonly stream: string;
  /** From 0, without holes. */
  readonly version: number;
  readonly position: Position;
}

export interface StreamAppend {
  readonly stream: string;
  readonly expectedVersion: ExpectedVersion;
  /** At least one. All of them are written, or none. */
  readonly events: readonly NewEvent[];
  /**
   * What the writer folded the stream to, these events included. Never stored in the log: the append hook (see
   * `log/postgres/hook.ts`) makes the due row of it in the same transaction.
   */
  readonly folded?: unknown;
}

/**
 * `repeated` tells that these very events (the same ids at the same versions) were in the log already: the outcome of an
 * earlier call became known. It counts as success.
 */
export type AppendResult =
  | { readonly kind: 'appended'; readonly version: number; readonly position: Position; readonly repeated: boolean }
  | { readonly kind: 'conflict'; readonly actualVersion: number };

export type AtomicAppendResult =
  | { readonly kind: 'appended'; readonly results: readonly Extract<AppendResult, { kind: 'appended' }>[] }
  /** Nothing was written. The indexes of the appends whose expected version was wrong. */
  | { readonly kind: 'refused'; readonly conflicts: readonly number[] };

export interface ReadStreamOptions {
  /** First version wanted: the lowest going forwards (default 0), the highest going backwards (default the last). */
  readonly from?: number;
  readonly direction?: 'forwards' | 'backwards';
  /** Default: all. */
  readonly limit?: number;
}

export interface Page {
  readonly events: readonly RecordedEvent[];
  /** Where the next page begins: the last event's position, or, with no event, the place that was asked for. */
  readonly next: Position;
}

export interface SubscriptionOptions {
  /** Exclusive. `null` means from the beginning. */
  readonly after: Position | null;
  /** At most this many events at once. Default 2,000. */
  readonly pageSize?: number;
  readonly signal: AbortSignal;
}

export interface EventLog {
  /** Identity of this log, made once when the log was created (a UUID). Positions carry a part of it. */
  readonly id: string;

  /**
   * Appends to many streams at once and answers per stream, in the order given. One refused stream never takes others
   * down with it. Safe to repeat with the same ids after an unknown outcome.
   * @throws LogUnavailable when the outcome could not be learned in time; nothing or everything of a stream was written.
   * @throws AppendRefused when the store will not take what a stream's events say (an illegal move, text that cannot be
   *   stored). It is thrown after every other stream of the call had its outcome, and carries those outcomes.
   */
  append(appends: readonly StreamAppend[]): Promise<readonly AppendResult[]>;

  /**
   * Appends to many streams in one transaction: all of them, or none when one is refused (then all that conflict are
   * named). Each stream at most once. Absent where the log cannot do it.
   * @throws LogUnavailable, AppendRefused as `append`.
   */
  appendAtomically?(appends: readonly StreamAppend[]): Promise<AtomicAppendResult>;

  /** Events of one stream; empty when there is no such stream. */
  readStream(stream: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]>;

  /** Several streams in one call, forwards and whole, keyed by stream; a stream that does not exist has an empty list. */
  readStreams(streams: readonly string[]): Promise<ReadonlyMap<string, readonly RecordedEvent[]>>;

  /**
   * Events of all streams after a position, in the log's order. Never steps over an append that is still under way and
   * never waits for a number that will not be filled.
   * @throws ForeignPosition when the position is not one of this log, or lies beyond its head.
   */
  readAll(after: Position | null, limit: number): Promise<Page>;

  /**
   * The position of the last event readers can see; everything up to it is settled. An append that was just acknowledged
   * may lie beyond it while an older one is under way. The start of an empty log is a position, too.
   */
  head(): Promise<Position>;

  /** Checks that a text is a position of this log, not beyond its head. @throws ForeignPosition */
  checkPosition(position: string): Promise<Position>;

  /** Pages of events as they come, for ever, until the signal aborts. Wake-ups only save time: it polls as well. */
  subscribe(options: SubscriptionOptions): AsyncIterable<Page>;

  close(): Promise<void>;
}

/** The log cannot be reached, or did not answer in time. For an append the outcome is unknown. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable';
}

/** The store refused the events of a stream for what they are; the same append would be refused again. */
export class AppendRefused extends Error {
  override readonly name = 'AppendRefused';
  /** The first stream that was refused; nothing was written to it. `null` when many went together and none was singled out. */
  readonly stream: string | null;
  /** One per append of the call, in its order; `null` for each refused one. */
  readonly results: readonly (AppendResult | null)[];

  constructor(stream: string | null, results: readonly (AppendResult | null)[], options: ErrorOptions) {
    super(`the events of ${stream ?? 'appends that belong together'} were refused`, options);
    this.stream = stream;
    this.results = results;
  }
}

/** A text that is no position, a position of another log, or one beyond the head. */
export class ForeignPosition extends Error {
  override readonly name = 'ForeignPosition';
}
