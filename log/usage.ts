import { NO_STREAM, type StreamAppend } from './port.ts';

/** Refuses an append that no caller can mean. @throws TypeError */
export function checkAppend(append: StreamAppend): void {
  if (append.stream === '') throw new TypeError('an append needs the name of its stream');
  if (append.events.length === 0) throw new TypeError(`an append to ${append.stream} needs at least one event`);
  if (!Number.isSafeInteger(append.expectedVersion) || append.expectedVersion < NO_STREAM) {
    throw new TypeError(`not a version to expect of ${append.stream}: ${append.expectedVersion}`);
  }
}
