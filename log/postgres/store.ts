import type { Pool } from 'pg';
import type { Logger } from '#runtime/logger';
import type { Listener } from '#runtime/postgres/listener';
import {
  AppendRefused,
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
import { type FreshPage, SharedReads } from '../shared-reads.ts';
import { subscribePages } from '../subscription.ts';
import { checkAppend } from '../usage.ts';
import { WakeUps } from '../wake-ups.ts';
import { conflictsOf, flushSender } from './append.ts';
import { encodeAppend } from './encoding.ts';
import { type AppendOutcome, type FlushOptions, flushAppends, sendUntilKnown } from './flush.ts';
import { FlushQueue } from './flush-queue.ts';
import type { AppendHook } from './hook.ts';
import { readIdentity } from './identity.ts';
import { Notifier } from './notifier.ts';
import { EventReader } from './read.ts';
import { Watchdog } from './watchdog.ts';

export interface PostgresLogOptions {
  /** Resolves unqualified names in the schema of the log; its statement timeout ends what hangs on the server. */
  readonly pool: Pool;
  readonly logger: Logger;
  /** The longest time between two looks of a subscription, in milliseconds. */
  readonly pollMs: number;
  readonly hook?: AppendHook;
  /** Without one, appends of other processes are found by polling alone. */
  readonly listener?: Listener;
  /** How long an append asks after an unknown outcome, in milliseconds. Default 10,000. */
  readonly appendPatienceMs?: number;
}

const LIMITS = {
  lanes: 2,
  flushEvents: 1000,
  flushSize: 4 * 2 ** 20,
  waitingAppends: 20_000,
  waitingSize: 64 * 2 ** 20,
};
const APPEND_PATIENCE_MS = 10_000;
const APPEND_ATTEMPT_MS = 5_000;
const WATCHDOG_PATIENCE_MS = 5_000;

/** Opens the log that the migrations made in the pool's schema. The pool stays the caller's. @throws LogUnavailable */
export async function openPostgresLog(options: PostgresLogOptions): Promise<EventLog> {
  const id = await readIdentity(options.pool);
  const notifier = new Notifier(options.pool, id);
  const wakeUps = new WakeUps();
  const unlisten = options.listener === undefined ? () => undefined : await notifier.listen(options.listener, wakeUps);
  return new PostgresLog(id, options, notifier, wakeUps, unlisten);
}

class PostgresLog implements EventLog {
  readonly id: string;
  readonly #options: PostgresLogOptions;
  readonly #positions: Positions;
  readonly #reader: EventReader;
  readonly #queue: FlushQueue<AppendOutcome>;
  readonly #together: FlushOptions;
  readonly #notifier: Notifier;
  readonly #wakeUps: WakeUps;
  readonly #reads: SharedReads;
  readonly #watchdog: Watchdog;
  readonly #unlisten: () => void;
  readonly #closing = new AbortController();

  constructor(id: string, options: PostgresLogOptions, notifier: Notifier, wakeUps: WakeUps, unlisten: () => void) {
    const { pool, logger, hook } = options;
    this.id = id;
    this.#options = options;
    this.#positions = positionsOf(id);
    this.#reader = new EventReader(pool, this.#positions);
    this.#notifier = notifier;
    this.#wakeUps = wakeUps;
    this.#reads = new SharedReads((after, limit) => this.#readFresh(after, limit), wakeUps);
    this.#watchdog = new Watchdog(pool, logger, WATCHDOG_PATIENCE_MS);
    this.#unlisten = unlisten;
    const send = flushSender({ pool, positions: this.#positions, hook });
    const flushOptions = {
      send,
      logger,
      patienceMs: options.appendPatienceMs ?? APPEND_PATIENCE_MS,
      attemptMs: APPEND_ATTEMPT_MS,
    };
    const sendTogether = flushSender({ pool, positions: this.#positions, hook, together: true });
    this.#together = { ...flushOptions, send: sendTogether };
    this.#queue = new FlushQueue((flush) => flushAppends(flushOptions, flush), LIMITS);
  }

  async append(appends: readonly StreamAppend[]): Promise<readonly AppendResult[]> {
    if (this.#closing.signal.aborted) throw new LogUnavailable('the log is closed');
    for (const append of appends) checkAppend(append);
    const outcomes = await this.#enqueue(appends);
    this.#tellReaders();
    return resultsOf(appends, outcomes);
  }

  async appendAtomically(appends: readonly StreamAppend[]): Promise<AtomicAppendResult> {
    if (this.#closing.signal.aborted) throw new LogUnavailable('the log is closed');
    for (const append of appends) checkAppend(append);
    const encoded = appends.map(encodeAppend);
    try {
      const results = await sendUntilKnown(this.#together, encoded);
      return { kind: 'appended', results: results.filter((result) => result.kind === 'appended') };
    } catch (error) {
      const conflicts = conflictsOf(error);
      if (conflicts !== null) return { kind: 'refused', conflicts };
      if (error instanceof LogUnavailable) throw error;
      const nothing = appends.map(() => null);
      throw new AppendRefused(null, nothing, { cause: error });
    } finally {
      this.#tellReaders();
    }
  }

  readStream(stream: string, options: ReadStreamOptions = {}): Promise<readonly RecordedEvent[]> {
    return this.#reader.readStream(stream, options);
  }

  readStreams(streams: readonly string[]): Promise<ReadonlyMap<string, readonly RecordedEvent[]>> {
    return this.#reader.readStreams(streams);
  }

  async readAll(after: Position | null, limit: number): Promise<Page> {
    const { events, next } = await this.#readFresh(after, limit);
    return { events, next };
  }

  async #readFresh(after: Position | null, limit: number): Promise<FreshPage> {
    const afterNumber = after === null ? 0 : this.#positions.parse(after);
    const page = await this.#reader.readPage(afterNumber, limit);
    refuseBeyond(page.lastNumber, afterNumber, after);
    this.#watchdog.observe(page);
    return { events: page.events, next: this.#positions.format(page.nextNumber), size: page.size, isEnd: page.isEnd };
  }

  async head(): Promise<Position> {
    const { headNumber } = await this.#reader.readHead();
    return this.#positions.format(headNumber);
  }

  async checkPosition(position: string): Promise<Position> {
    const number = this.#positions.parse(position);
    // An append's own position is good from the moment it is told, while an older append may still hold readers back:
    // so it is measured by the last number given out, not by what readers can see.
    const { lastNumber } = await this.#reader.readHead();
    refuseBeyond(lastNumber, number, position);
    return position;
  }

  subscribe(options: SubscriptionOptions): AsyncIterable<Page> {
    const { logger, pollMs } = this.#options;
    const observer = {
      interrupted: (error: LogUnavailable) => logger.warn({ err: error }, 'a subscription is interrupted'),
      resumed: () => logger.info('a subscription goes on'),
    };
    const feed = { reads: this.#reads, wakeUps: this.#wakeUps, pollMs, observer };
    return subscribePages(feed, { ...options, signal: AbortSignal.any([options.signal, this.#closing.signal]) });
  }

  /** Ends subscriptions, takes no more appends, and waits for those under way. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#unlisten();
    await this.#queue.whenIdle();
    await this.#notifier.whenIdle();
  }

  #enqueue(appends: readonly StreamAppend[]): Promise<readonly AppendOutcome[]> {
    const waiting = appends.map((append) => {
      const { promise, resolve } = Promise.withResolvers<AppendOutcome>();
      return { promise, queued: { encoded: encodeAppend(append), settle: resolve } };
    });
    this.#queue.add(waiting.map(({ queued }) => queued));
    return Promise.all(waiting.map(({ promise }) => promise));
  }

  /** Also when nothing was written: while it was under way, an append may have held readers back from other events. */
  #tellReaders(): void {
    this.#wakeUps.wake();
    this.#notifier.notify();
  }
}

function refuseBeyond(lastNumber: number, number: number, position: Position | null): void {
  if (number > lastNumber) throw new ForeignPosition(`position ${position} lies beyond the head`);
}

/** @throws LogUnavailable before AppendRefused: the call may be repeated, and then tells what was refused */
function resultsOf(appends: readonly StreamAppend[], outcomes: readonly AppendOutcome[]): readonly AppendResult[] {
  const unavailable = outcomes.find((outcome) => outcome.kind === 'unavailable');
  if (unavailable !== undefined) throw unavailable.error;
  const results = outcomes.map((outcome) => (outcome.kind === 'known' ? outcome.result : null));
  const refused = outcomes.findIndex((outcome) => outcome.kind === 'refused');
  const outcome = outcomes[refused];
  if (outcome?.kind === 'refused') {
    throw new AppendRefused(appends[refused]?.stream ?? null, results, { cause: outcome.error });
  }
  return results.filter((result) => result !== null);
}
