import type { Pool } from 'pg';
import { loadSql } from '#runtime/postgres/sql';
import type { ReadStreamOptions, RecordedEvent } from '../port.ts';
import type { Positions } from '../position.ts';
import { orUnavailable } from './failures.ts';
import { AS_SENT, type EventColumns, recordedEvent, sizeOf } from './recorded.ts';

const FORWARDS = loadSql(import.meta.url, './read-stream-forwards.sql');
const BACKWARDS = loadSql(import.meta.url, './read-stream-backwards.sql');
const STREAMS = loadSql(import.meta.url, './read-streams.sql');
const ALL = loadSql(import.meta.url, './read-all.sql');
const HEAD = 'SELECT last_number, head FROM log_head()';
const LAST_VERSION = 2 ** 31 - 1;
const READ_TIMEOUT_MS = 10_000;
/** What a page may hold, in characters of its events' documents. */
const PAGE_SIZE = 16 * 2 ** 20;

/** A page by numbers, with what the database knew when it was read. */
export interface NumberedPage {
  readonly events: readonly RecordedEvent[];
  /** Of the last event, or what was asked for when there is none. */
  readonly nextNumber: number;
  /** The last number given out to an append, finished or not. */
  readonly lastNumber: number;
  /** Everything up to here is settled. */
  readonly bound: number;
  /** Characters of the events' documents. */
  readonly size: number;
  /** Nothing was behind it. */
  readonly isEnd: boolean;
}

/** The first row of `read_events`: it is no event, and has the bound behind the columns of one. */
type BoundColumns = readonly [lastNumber: string, ...nothing: (string | null)[], bound: string];

export class EventReader {
  readonly #pool: Pool;
  readonly #positions: Positions;
  /** Characters of an event's documents, by the largest pages of late. */
  #sizeEach = 1;

  constructor(pool: Pool, positions: Positions) {
    this.#pool = pool;
    this.#positions = positions;
  }

  async readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    const isBackwards = options.direction === 'backwards';
    const from = options.from ?? (isBackwards ? LAST_VERSION : 0);
    const rows = await this.#rows(isBackwards ? BACKWARDS : FORWARDS, [stream, from, options.limit ?? null]);
    return rows.map((row) => recordedEvent(row, this.#positions));
  }

  async readStreams(streams: readonly string[]): Promise<ReadonlyMap<string, readonly RecordedEvent[]>> {
    const found = new Map<string, RecordedEvent[]>(streams.map((stream) => [stream, []]));
    const rows = await this.#rows(STREAMS, [[...found.keys()]]);
    for (const row of rows) {
      const event = recordedEvent(row, this.#positions);
      found.get(event.stream)?.push(event);
    }
    return found;
  }

  /** At most `limit` events, and fewer where events are large: a page then holds some 16 MiB, going by the page before it. */
  async readPage(afterNumber: number, limit: number): Promise<NumberedPage> {
    const most = Math.max(1, Math.min(limit, Math.floor(PAGE_SIZE / this.#sizeEach)));
    const [seen, ...rows] = await this.#rows(ALL, [afterNumber, most]).catch((error: unknown) => {
      // A page that takes too long to come must not be asked for again as it was.
      this.#sizeEach = Math.max((2 * PAGE_SIZE) / most, this.#sizeEach);
      throw error;
    });
    if (seen === undefined) throw new Error('read_events answered without its first row');
    const [lastNumber, bound] = [seen[0], (seen as unknown as BoundColumns).at(-1)];
    const size = rows.reduce((sum, row) => sum + sizeOf(row), 0);
    this.#sizeEach = Math.max(1, size / Math.max(1, rows.length), this.#sizeEach / 2);
    return {
      events: rows.map((row) => recordedEvent(row, this.#positions)),
      nextNumber: Number(rows.at(-1)?.[0] ?? afterNumber),
      lastNumber: Number(lastNumber),
      bound: Number(bound),
      size,
      isEnd: rows.length < most,
    };
  }

  async readHead(): Promise<{ lastNumber: number; headNumber: number }> {
    const rows = await this.#rows<readonly [lastNumber: string, head: string]>(HEAD, []);
    const [row] = rows;
    if (row === undefined) throw new Error('log_head answered without a row');
    return { lastNumber: Number(row[0]), headNumber: Number(row[1]) };
  }

  async #rows<Row extends readonly unknown[] = EventColumns>(text: string, values: unknown[]): Promise<Row[]> {
    // Ends the wait for a server that has fallen silent; the pool then replaces the connection.
    const query = { ...AS_SENT, text, values, query_timeout: READ_TIMEOUT_MS };
    const { rows } = await orUnavailable('read the log', this.#pool.query<Row[]>(query));
    return rows as unknown as Row[];
  }
}
