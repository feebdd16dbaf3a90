import { timerAfter } from '#runtime/timer';

/** Wakes one waiting loop; a ring that comes while nobody waits is kept for the next wait. */
export class Bell {
  #rung = false;
  #wake: (() => void) | null = null;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Forgets a ring of the past. */
  quiet(): void {
    this.#rung = false;
  }

  /** Resolves at the next ring, or after `ms`. */
  async wait(ms: number): Promise<void> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        const cancel = timerAfter(ms, resolve);
        this.#wake = () => {
          cancel();
          resolve();
        };
      });
    }
    this.#wake = null;
    this.#rung = false;
  }
}
