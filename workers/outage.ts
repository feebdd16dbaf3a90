import type { Logger } from '#runtime/logger';
import { backoffMs } from '#runtime/timer';

const BACKOFF = { firstMs: 100, longestMs: 5000 };

/**
 * Counts failures in a row of one thing that is tried for ever: says when to try again, and tells the log once when the
 * trouble begins and once when it is over.
 */
export class Outage {
  readonly #what: string;
  readonly #logger: Logger;
  #failures = 0;

  constructor(what: string, logger: Logger) {
    this.#what = what;
    this.#logger = logger;
  }

  /** @returns How long to wait, in milliseconds. */
  failed(error: unknown): number {
    if (this.#failures === 0) this.#logger.warn({ err: error }, `${this.#what} failed and is tried again`);
    this.#failures += 1;
    return backoffMs(this.#failures - 1, BACKOFF);
  }

  succeeded(): void {
    if (this.#failures > 0) this.#logger.info({ failures: this.#failures }, `${this.#what} works again`);
    this.#failures = 0;
  }
}
