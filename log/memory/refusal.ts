import type { AppendResult, RecordedEvent, StreamAppend } from '../port.ts';

/**
 * Judges an append whose expected version is not the stream's last: when the very same ids stand behind the expected
 * version, in order, it was written by an earlier call; anything else is a conflict. Contents are not compared.
 */
export function judgeRefused(append: StreamAppend, stored: readonly RecordedEvent[]): AppendResult {
  const first = append.expectedVersion + 1;
  const same = append.events.every((event, index) => stored[first + index]?.id === event.id);
  const last = stored[append.expectedVersion + append.events.length];
  if (same && last !== undefined) {
    return { kind: 'appended', version: last.version, position: last.position, repeated: true };
  }
  return { kind: 'conflict', actualVersion: stored.length - 1 };
}
