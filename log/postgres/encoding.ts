import { int2Array, int4Array, int8Array, jsonArray, textArray, uuidArray } from '#runtime/postgres/arrays';
import type { StreamAppend } from '../port.ts';

/** An append as it is sent, made when it is handed in: what the caller changes afterwards changes nothing. */
export interface EncodedAppend {
  readonly append: StreamAppend;
  /** Texts of `data` and `metadata`, one each per event. */
  readonly datas: readonly string[];
  readonly metadatas: readonly string[];
  /** Length of those texts, for the bounds of a flush and of the queue. UTF-16 units, close enough to bytes. */
  readonly size: number;
}

/** @throws TypeError when an event is not JSON */
export function encodeAppend(append: StreamAppend): EncodedAppend {
  const events = append.events.map((event) => ({ ...event }));
  const datas = events.map((event) => JSON.stringify(event.data));
  // The schema version has a column of its own.
  const metadatas = events.map(({ metadata: { schema_version: _, ...rest } }) => JSON.stringify(rest));
  let size = 0;
  for (const text of datas) size += text.length;
  for (const text of metadatas) size += text.length;
  return { append: { ...append, events }, datas, metadatas, size };
}

/** The parameters of `append_events`, in its order: two arrays about the appends, then eleven about their events. */
export function appendParameters(encoded: readonly EncodedAppend[]): Buffer[] {
  const counts = encoded.map(({ append }) => append.events.length);
  let next = 1;
  const firsts = counts.map((count) => {
    const first = next;
    next += count;
    return first;
  });
  const rows = encoded.flatMap(({ append }, ord) =>
    append.events.map((event, index) => ({ append, ord, event, version: append.expectedVersion + 1 + index })),
  );
  return [
    int4Array(firsts),
    int4Array(counts),
    int4Array(rows.map(({ ord }) => ord)),
    textArray(rows.map(({ append }) => append.stream)),
    int4Array(rows.map(({ version }) => version)),
    uuidArray(rows.map(({ event }) => event.id)),
    textArray(rows.map(({ event }) => event.type)),
    int2Array(rows.map(({ event }) => event.metadata.schema_version)),
    textArray(rows.map(({ event }) => event.mark?.status ?? null)),
    int4Array(rows.map(({ event }) => event.mark?.fencingToken ?? null)),
    int8Array(rows.map(({ event }) => event.recordedAt)),
    jsonArray(encoded.flatMap(({ datas }) => datas)),
    jsonArray(encoded.flatMap(({ metadatas }) => metadatas)),
  ];
}
