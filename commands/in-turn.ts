/**
 * Lets work on the same things go in turn within this process. Two writers of one job would only refuse each other: the
 * log takes one of them and sends the other back to read, so many at once on one job cost the square of their number.
 */
export class InTurn {
  /** By key, the end of the last work that was let in. */
  readonly #last = new Map<string, Promise<void>>();

  /** Begins when all earlier work on any of the keys has ended. All keys are taken at once, so nobody waits in a circle. */
  async run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = keys.flatMap((key) => this.#last.get(key) ?? []);
    const { promise: end, resolve } = Promise.withResolvers<void>();
    for (const key of keys) this.#last.set(key, end);
    try {
      if (before.length > 0) await Promise.all(before);
      return await work();
    } finally {
      for (const key of keys) if (this.#last.get(key) === end) this.#last.delete(key);
      resolve();
    }
  }
}
