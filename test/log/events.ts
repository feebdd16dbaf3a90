import { randomUUID } from 'node:crypto';
import type { AppendResult, JsonObject, NewEvent, RecordedEvent, StreamAppend } from '#log/port';

/** An event for tests of the log, which does not care what it says. */
export function anEvent(overrides: Partial<NewEvent> = {}): NewEvent {
  return {
    id: randomUUID(),
    type: 'Happened',
    data: {},
    metadata: { schema_version: 1, actor: 'anonymous' },
    recordedAt: Date.UTC(2026, 10, 30, 12, 0, 0, 123),
    ...overrides,
  };
}

export function saying(data: JsonObject): NewEvent {
  return anEvent({ data });
}

export function anAppend(
  stream: string,
  expectedVersion: number,
  events: readonly NewEvent[] = [anEvent()],
): StreamAppend {
  return { stream, expectedVersion, events };
}

/** The only result of a call with one append. */
export function only(results: readonly AppendResult[]): AppendResult {
  const [result] = results;
  if (result === undefined || results.length !== 1) throw new Error(`expected one result, got ${results.length}`);
  return result;
}

/** The result of an append that must have been written. */
export function written(results: readonly AppendResult[]): Extract<AppendResult, { kind: 'appended' }> {
  const result = only(results);
  if (result.kind !== 'appended') throw new Error(`expected an append, got a conflict at ${result.actualVersion}`);
  return result;
}

/** An event by stream and version, short enough to compare lists of them. */
export function placeOf(event: RecordedEvent): string {
  return `${event.stream}@${event.version}`;
}
