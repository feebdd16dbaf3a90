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

/** The parameters of `append_events`, in its order: four arrays about the appends, then eleven about their events. */
export function appendParameters(encoded: readonly EncodedAppend[]): unknown[] {
  const appends = encoded.map(({ append }) => append);
  const counts = appends.map(({ events }) => events.length);
  let next = 1;
  const firsts = counts.map((count) => {
    const first = next;
    next += count;
    return first;
  });
  const rows = appends.flatMap((append, ord) =>
    append.events.map((event, index) => ({ append, ord, event, version: append.expectedVersion + 1 + index })),
  );
  return [
    appends.map(({ stream }) => stream),
    appends.map(({ expectedVersion }) => expectedVersion),
    firsts,
    counts,
    rows.map(({ ord }) => ord),
    rows.map(({ append }) => append.stream),
    rows.map(({ version }) => version),
    rows.map(({ event }) => event.id),
    rows.map(({ event }) => event.type),
    rows.map(({ event }) => event.metadata.schema_version),
    rows.map(({ event }) => event.mark?.status ?? null),
    rows.map(({ event }) => event.mark?.fencingToken ?? null),
    rows.map(({ event }) => event.recordedAt),
    encoded.flatMap(({ datas }) => datas),
    encoded.flatMap(({ metadatas }) => metadatas),
  ];
}
