import type { Pool, PoolClient } from 'pg';
import type { EventLog, RecordedEvent } from '#log/port';
import type { BatchWrite } from './write.ts';

/** Events in, rows out. What a projection keeps in memory between batches belongs to a tenure and ends with it. */
export interface Projection {
  readonly name: string;
  /** Raised when the rows mean something else than before. */
  readonly schemaVersion: number;
  /** What a rebuild empties. */
  readonly tables: readonly string[];
  /**
   * Reads what the batch builds on and folds it, without writing: the transaction that follows must be short. Streams
   * that cannot be followed are parked at their last good event; an error that it throws is nobody's data.
   */
  prepare(events: readonly RecordedEvent[], source: ProjectionSource): Promise<PreparedBatch>;
}

export interface ProjectionSource {
  readonly db: Pool | PoolClient;
  readonly log: Pick<EventLog, 'readStreams'>;
  /**
   * Stands for one uninterrupted ownership: as long as it is the same object, nobody but this process has written the
   * tables, and every batch before was written whole. Absent where a batch is only tried out.
   */
  readonly tenure?: object;
}

export interface PreparedBatch {
  readonly parked: readonly ParkedStream[];
  /** Writes the rows, all in one call whatever the batch holds. Null when the batch concerns no row. */
  readonly write: BatchWrite | null;
  /** Called when the rows are known to be written. */
  readonly written?: () => void;
}

/** A stream whose event at `version` could not be applied. */
export interface ParkedStream {
  readonly stream: string;
  readonly version: number;
  readonly error: string;
}
