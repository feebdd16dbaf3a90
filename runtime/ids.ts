import { randomFillSync } from 'node:crypto';

const COUNTER_LIMIT = 0x1000;
const RANDOM_BYTES = 8 * 1024;

const random = Buffer.alloc(RANDOM_BYTES);
let used = RANDOM_BYTES;
let lastMs = 0;
let counter = 0;

/**
 * A UUIDv7 that sorts after every id this process has made before, also when the clock stands still or goes back (RFC
 * 9562 section 6.2, method 1: the 12 bits behind the time are a counter that starts at random in its lower half).
 * @param nowMs epoch milliseconds, from the one clock
 */
export function newId(nowMs: number): string {
  const tail = randomBytes();
  if (nowMs > lastMs) {
    lastMs = nowMs;
    counter = random.readUInt16BE(tail) & 0x7ff;
  } else {
    counter += 1;
  }
  if (counter >= COUNTER_LIMIT) {
    lastMs += 1;
    counter = 0;
  }
  const time = lastMs.toString(16).padStart(12, '0');
  const sequence = counter.toString(16).padStart(3, '0');
  random.writeUInt8((random.readUInt8(tail) & 0x3f) | 0x80, tail);
  const rest = random.toString('hex', tail, tail + 8);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence}-${rest.slice(0, 4)}-${rest.slice(4)}`;
}

/** Where 8 fresh random bytes lie; asking the system for each id alone would cost more than the id. */
function randomBytes(): number {
  if (used === RANDOM_BYTES) {
    randomFillSync(random);
    used = 0;
  }
  used += 8;
  return used - 8;
}
