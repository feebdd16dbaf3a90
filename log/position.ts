import { ForeignPosition, type Position } from './port.ts';

/** Writes and reads the positions of one log: 8 hex digits of the log's identity, then 16 of the event's number. */
export interface Positions {
  /** `number` counts from 1; 0 is the start of the log, before its first event. */
  format(number: number): Position;
  /** @throws ForeignPosition when the text is no position, or names another log. */
  parse(position: string): number;
}

const SHAPE = /^[0-9a-f]{24}$/;
const IDENTITY_DIGITS = 8;
const NUMBER_DIGITS = 16;

/** `logId` is the log's UUID. Lowercase digits of one width make text order the log's order. */
export function positionsOf(logId: string): Positions {
  const identity = logId.slice(0, IDENTITY_DIGITS);
  // What stands before a number of so many digits: every event that is read or written asks for it.
  const before = Array.from(
    { length: NUMBER_DIGITS + 1 },
    (_, digits) => identity + '0'.repeat(NUMBER_DIGITS - digits),
  );
  return {
    format: (number) => {
      const digits = number.toString(16);
      return before[digits.length] + digits;
    },
    parse(position) {
      if (!SHAPE.test(position)) throw new ForeignPosition(`not a position: ${position.slice(0, 64)}`);
      if (!position.startsWith(identity)) throw new ForeignPosition(`position ${position} belongs to another log`);
      const number = Number.parseInt(position.slice(IDENTITY_DIGITS), 16);
      if (!Number.isSafeInteger(number)) throw new ForeignPosition(`position ${position} lies beyond the head`);
      return number;
    },
  };
}
