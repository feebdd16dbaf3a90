import type { Position } from '#log/port';

const NUMBER_DIGITS = 16;

/**
 * The number in a position: every store ends its positions in 16 hex digits that count up. Differences tell how far apart
 * two positions are, in events for stores that number events; gaps in the numbers count, too.
 */
export function positionNumber(position: Position | null): number {
  return position === null ? 0 : Number.parseInt(position.slice(-NUMBER_DIGITS), 16);
}
