const MARK = Symbol.for('holdfast.snooze');

/** What a handler returns to be called again later without using up an attempt: `return ctx.snooze(30)`. */
export interface Snooze {
  readonly [MARK]: true;
  readonly seconds: number;
}

export function snooze(seconds: number): Snooze {
  if (!Number.isFinite(seconds) || seconds < 0) {
    throw new RangeError(`snooze takes seconds, 0 or more, and got ${String(seconds)}`);
  }
  return { [MARK]: true, seconds };
}

export function isSnooze(value: unknown): value is Snooze {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, MARK);
}
