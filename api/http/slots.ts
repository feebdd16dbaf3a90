import { unavailable } from '../problems/from-error.ts';

/** A bound on how many calls may do something long at once. */
export class Slots {
  readonly #limit: number;
  readonly #what: string;
  #taken = 0;

  constructor(limit: number, what: string) {
    this.#limit = limit;
    this.#what = what;
  }

  /** @returns What gives the place back. @throws ApiProblem `unavailable` when all are taken. */
  take(): () => void {
    if (this.#taken >= this.#limit)
      throw unavailable(`${this.#limit} ${this.#what} are open already. Try again later.`);
    this.#taken += 1;
    let held = true;
    return () => {
      if (held) this.#taken -= 1;
      held = false;
    };
  }
}
