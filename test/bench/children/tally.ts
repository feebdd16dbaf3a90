import type { Observer } from '../products/product.ts';
import type { Handled } from './calls.ts';
import { instant } from './instant.ts';

/** Notes what the handlers of this process are given. Jobs outside the expected range are an error of the bench. */
export class Tally implements Observer {
  readonly #first: number;
  readonly #starts: Uint8Array;
  readonly #startedAt: Float64Array;
  readonly #doneAt: Float64Array;
  #count = 0;

  constructor(first: number, jobs: number) {
    this.#first = first;
    this.#starts = new Uint8Array(jobs);
    this.#startedAt = new Float64Array(jobs);
    this.#doneAt = new Float64Array(jobs);
  }

  /** Starts of handlers, repeated ones included. */
  get count(): number {
    return this.#count;
  }

  onStart(n: number): void {
    const at = n - this.#first;
    this.#starts[at] = (this.#starts[at] ?? 0) + 1;
    this.#startedAt[at] = instant();
    this.#count += 1;
  }

  onDone(n: number): void {
    this.#doneAt[n - this.#first] = instant();
  }

  handled(): Handled {
    return { starts: this.#starts, startedAt: this.#startedAt, doneAt: this.#doneAt };
  }
}
