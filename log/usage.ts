import { NO_STREAM, type StreamAppend } from './port.ts';

/** The last millisecond of the year 9999, the end of ISO 8601 with four digits. */
const LAST_INSTANT = 253_402_300_799_999;

/** Refuses an append that no caller can mean. @throws TypeError */
export function checkAppend(append: StreamAppend): void {
  if (append.stream === '') throw new TypeError('an append needs the name of its stream');
  if (append.events.length === 0) throw new TypeError(`an append to ${append.stream} needs at least one event`);
  if (!Number.isSafeInteger(append.expectedVersion) || append.expectedVersion < NO_STREAM) {
    throw new TypeError(`not a version to expect of ${append.stream}: ${append.expectedVersion}`);
  }
  for (const { recordedAt } of append.events) {
    const isInstant = Number.isInteger(recordedAt) && recordedAt >= 0 && recordedAt <= LAST_INSTANT;
    if (!isInstant) throw new TypeError(`not an instant in epoch milliseconds: ${recordedAt}`);
  }
}
