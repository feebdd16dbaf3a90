import type { ReadStreamOptions, RecordedEvent } from '../port.ts';

/** The part of a stream that was asked for, in the direction asked for. */
export function selectEvents(stored: readonly RecordedEvent[], options: ReadStreamOptions): readonly RecordedEvent[] {
  const limit = options.limit ?? stored.length;
  if (options.direction === 'backwards') {
    const highest = options.from ?? stored.length - 1;
    return stored
      .slice(0, highest + 1)
      .reverse()
      .slice(0, limit);
  }
  return stored.slice(options.from ?? 0).slice(0, limit);
}
