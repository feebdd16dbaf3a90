import type { Clock } from '#runtime/clock';

/** A clock that moves only when a test says so. */
export class ManualClock implements Clock {
  #now: number;

  constructor(now = Date.UTC(2026, 10, 30, 12)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  set(ms: number): void {
    this.#now = ms;
  }

  advance(ms: number): void {
    this.#now += ms;
  }
}
