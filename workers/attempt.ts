import { AsyncLocalStorage } from 'node:async_hooks';
import type { JsonValue } from '#domain/json/value';
import type { Logger } from '#runtime/logger';
import type { AbortReason } from './abort-reasons.ts';
import type { HeldLease, Outcome } from './gateway.ts';

/** Whatever a handler starts runs within its attempt's scope, so that what escapes from it can be told to whom it belongs. */
export const attemptScope = new AsyncLocalStorage<Attempt>();

/** Progress or a checkpoint that waits for the next beat. */
export interface Mark {
  readonly progress?: JsonValue;
  readonly checkpoint?: JsonValue;
}

/**
 * One claim of one job in this process: what the parts of the worker (runner, lease keeper, cancel watch, shutdown) know of
 * it in common. The first outcome settles it; the handler may go on for a while after that.
 */
export class Attempt {
  readonly lease: HeldLease;
  readonly #logger: Logger;
  readonly #onSettled: (attempt: Attempt, outcome: Outcome | null) => void;
  /** Both are made when somebody asks for them: most handlers neither log nor listen. */
  #log: Logger | null = null;
  #abort: AbortController | null = null;
  #settled = false;
  #leaseLost = false;

  /** @param onSettled - Gets the outcome to report; null when there is none to report, since the lease is gone. */
  constructor(lease: HeldLease, logger: Logger, onSettled: (attempt: Attempt, outcome: Outcome | null) => void) {
    this.lease = lease;
    this.#logger = logger;
    this.#onSettled = onSettled;
  }

  get jobId(): string {
    return this.lease.job.id;
  }

  get fencingToken(): number {
    return this.lease.fencingToken;
  }

  /** Each line names the job and its attempt. */
  get log(): Logger {
    const { id, type, attempt } = this.lease.job;
    this.#log ??= this.#logger.child({ jobId: id, jobType: type, attempt });
    return this.#log;
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    return this.#abort.signal;
  }

  get settled(): boolean {
    return this.#settled;
  }

  get abortReason(): AbortReason | null {
    return this.#abort?.signal.aborted ? (this.#abort.signal.reason as AbortReason) : null;
  }

  /** The first reason stays. Listeners are user code: they run in the attempt's scope. */
  abort(reason: AbortReason): void {
    this.#abort ??= new AbortController();
    const abort = this.#abort;
    if (!abort.signal.aborted) attemptScope.run(this, () => abort.abort(reason));
  }

  /** The scheduler said that another one may hold the job: nothing of this attempt is accepted any more. */
  lose(reason: AbortReason): void {
    this.#leaseLost = true;
    this.abort(reason);
  }

  /** The first outcome counts, later ones are dropped. @returns Whether it was the first. */
  settle(outcome: Outcome): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#onSettled(this, this.#leaseLost ? null : outcome);
    return true;
  }
}
