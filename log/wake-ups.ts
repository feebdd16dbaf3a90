/**
 * Tells waiting readers that there may be something new. Wake-ups only save time, so nothing is lost when one is missed;
 * the count closes the gap between a reader's last look and its wait.
 */
export class WakeUps {
  #count = 0;
  readonly #waiting = new Set<() => void>();

  /** How often readers were woken. Take it before looking, and hand it to `wait`. */
  get count(): number {
    return this.#count;
  }

  wake(): void {
    this.#count += 1;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resume of waiting) resume();
  }

  /**
   * Resolves at a wake-up since `seen`, after `ms`, or when the signal aborts: whatever comes first.
   * @returns whether there was a wake-up.
   */
  async wait(seen: number, ms: number, signal: AbortSignal): Promise<boolean> {
    if (this.#count !== seen || signal.aborted) return this.#count !== seen;
    const { promise, resolve } = Promise.withResolvers<void>();
    const resume = () => resolve();
    const timer = setTimeout(resume, ms);
    signal.addEventListener('abort', resume, { once: true });
    this.#waiting.add(resume);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', resume);
      this.#waiting.delete(resume);
    }
    return this.#count !== seen;
  }
}
