import { randomBytes } from 'node:crypto';

const COUNTER_LIMIT = 0x1000;
/** Asking the system for each id alone would cost more than the id. */
const IDS_AT_ONCE = 1024;
/** 8 random bytes in hex. */
const DIGITS = 16;
/** The digit that holds the variant's two bits, 10, and two random ones. */
const VARIANT_DIGITS = '89ab';

let random = '';
let used = 0;
let lastMs = 0;
let lastMsText = '';
let counter = 0;

/**
 * A UUIDv7 that sorts after every id this process has made before, also when the clock stands still or goes back (RFC
 * 9562 section 6.2, method 1: the 12 bits behind the time are a counter that starts at random in its lower half).
 * @param nowMs epoch milliseconds, from the one clock
 */
export function newId(nowMs: number): string {
  const tail = randomDigits();
  if (nowMs > lastMs) {
    moveTo(nowMs, Number.parseInt(tail.slice(0, 3), 16) & 0x7ff);
  } else {
    counter += 1;
    if (counter === COUNTER_LIMIT) moveTo(lastMs + 1, 0);
  }
  const sequence = counter.toString(16).padStart(3, '0');
  const variant = VARIANT_DIGITS[Number.parseInt(tail.slice(0, 1), 16) & 3];
  return `${lastMsText}-7${sequence}-${variant}${tail.slice(1, 4)}-${tail.slice(4)}`;
}

function moveTo(ms: number, first: number): void {
  const time = ms.toString(16).padStart(12, '0');
  lastMs = ms;
  lastMsText = `${time.slice(0, 8)}-${time.slice(8)}`;
  counter = first;
}

function randomDigits(): string {
  if (used === random.length) {
    random = randomBytes((IDS_AT_ONCE * DIGITS) / 2).toString('hex');
    used = 0;
  }
  used += DIGITS;
  return random.slice(used - DIGITS, used);
}
