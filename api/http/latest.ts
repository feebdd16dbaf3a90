import type { Position } from '../ports.ts';

/** The last of some positions of one log, which are ordered as text. */
export function latest(positions: readonly (Position | null)[]): Position | undefined {
  return positions
    .filter((position) => position !== null)
    .sort()
    .at(-1);
}
