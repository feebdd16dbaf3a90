import type { Position } from '#log/port';

/** Tells waiting readers of this process how far its projectors are, so that they need not poll. */
export class ProjectionProgress {
  readonly #positions = new Map<string, Position>();
  readonly #waiting = new Set<() => void>();

  position(projection: string): Position | undefined {
    return this.#positions.get(projection);
  }

  moved(projection: string, position: Position): void {
    this.#positions.set(projection, position);
    for (const resume of this.#waiting) resume();
    this.#waiting.clear();
  }

  /**
   * Somebody works on it from here: after a crash of the database, which may lose the last moments of what was committed
   * asynchronously, that may be behind what was told before.
   */
  begins(projection: string, position: Position | null): void {
    if (position === null) this.#positions.delete(projection);
    else this.#positions.set(projection, position);
  }

  /** Resolves at the next move of any projection, after `ms`, or when the signal aborts. */
  async nextMove(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const resume = () => resolve();
    const timer = setTimeout(resume, ms);
    this.#waiting.add(resume);
    signal?.addEventListener('abort', resume, { once: true });
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(resume);
      signal?.removeEventListener('abort', resume);
    }
  }
}
