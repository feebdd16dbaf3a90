import type { EventMetadata, JsonObject, RecordedEvent } from '../port.ts';
import type { Positions } from '../position.ts';

/** A row of `events` as the driver hands it over: JSON parsed, `bigint` as text. */
export interface EventRow {
  readonly position: string;
  readonly stream: string;
  readonly version: number;
  readonly id: string;
  readonly type: string;
  readonly schema_version: number;
  readonly status: string | null;
  readonly fencing_token: number | null;
  readonly recorded_at: Date;
  readonly data: JsonObject;
  readonly metadata: Omit<EventMetadata, 'schema_version'>;
}

export function recordedEvent(row: EventRow, positions: Positions): RecordedEvent {
  return {
    stream: row.stream,
    version: row.version,
    position: positions.format(Number(row.position)),
    id: row.id,
    type: row.type,
    data: row.data,
    metadata: { schema_version: row.schema_version, ...row.metadata },
    recordedAt: row.recorded_at.getTime(),
    ...(row.status === null || row.fencing_token === null
      ? {}
      : { mark: { status: row.status, fencingToken: row.fencing_token } }),
  };
}
