import type { EventMetadata, JsonObject, RecordedEvent } from '../port.ts';
import type { Positions } from '../position.ts';

/**
 * An event as the statements of the log select it, every column as the text that the server sends. The driver's own
 * parsing of a row (a date, two documents, an object by column names) took longer than everything else in a read.
 */
export type EventColumns = readonly [
  position: string,
  stream: string,
  version: string,
  id: string,
  type: string,
  schemaVersion: string,
  status: string | null,
  fencingToken: string | null,
  /** Epoch milliseconds. */
  recordedAt: string,
  data: string,
  metadata: string,
];

/** What the driver is told, so that it hands rows over as they come. */
export const AS_SENT = { rowMode: 'array', types: { getTypeParser: () => (text: string) => text } } as const;

export function recordedEvent(columns: EventColumns, positions: Positions): RecordedEvent {
  const [position, stream, version, id, type, schemaVersion, status, fencingToken, recordedAt, data, metadata] =
    columns;
  const event: { -readonly [Field in keyof RecordedEvent]: RecordedEvent[Field] } = {
    stream,
    version: Number(version),
    position: positions.format(Number(position)),
    id,
    type,
    data: JSON.parse(data) as JsonObject,
    metadata: metadataOf(schemaVersion, metadata),
    recordedAt: Number(recordedAt),
  };
  if (status !== null && fencingToken !== null) event.mark = { status, fencingToken: Number(fencingToken) };
  return event;
}

/** What the event takes in memory, nearly: the length of its documents. */
export function sizeOf(columns: EventColumns): number {
  return columns[9].length + columns[10].length;
}

function metadataOf(schemaVersion: string, text: string): EventMetadata {
  const metadata = JSON.parse(text) as { -readonly [Field in keyof EventMetadata]: EventMetadata[Field] };
  metadata.schema_version = Number(schemaVersion);
  return metadata;
}
