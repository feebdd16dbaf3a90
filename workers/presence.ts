import type { WorkerFacts } from '#commands/contract';
import type { Logger } from '#runtime/logger';
import { jittered, pause } from '#runtime/timer';
import type { WorkerGateway } from './gateway.ts';
import { Outage } from './outage.ts';

const SIGN_EVERY_MS = 10_000;

export interface PresenceOptions {
  readonly gateway: Pick<WorkerGateway, 'started' | 'stopped' | 'seen'>;
  readonly logger: Logger;
  readonly facts: WorkerFacts;
}

/** Tells that the worker is there: an event at its start and its end, and a mark in between. It never holds up the work. */
export class Presence {
  readonly #options: PresenceOptions;
  readonly #outage: Outage;
  readonly #leaving = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #registered = false;
  #stopping = false;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#outage = new Outage('telling that the worker is there', options.logger);
  }

  start(): void {
    this.#running = this.#run();
  }

  /** From now on it shows as stopping. */
  stopping(): void {
    this.#stopping = true;
    this.#sign().catch((error: unknown) => this.#outage.failed(error));
  }

  /** @throws Whatever the gateway throws: then the worker is seen as gone when its marks grow old. */
  async leave(): Promise<void> {
    this.#leaving.abort();
    await this.#running;
    if (this.#registered) await this.#options.gateway.stopped(this.#options.facts.workerId);
  }

  async #run(): Promise<void> {
    const { gateway, facts } = this.#options;
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      try {
        if (!this.#registered) await gateway.started(facts);
        this.#registered = true;
        await this.#sign();
        this.#outage.succeeded();
        await pause(jittered(SIGN_EVERY_MS), signal);
      } catch (error) {
        await pause(this.#outage.failed(error), signal);
      }
    }
  }

  #sign(): Promise<void> {
    const { gateway, facts } = this.#options;
    return gateway.seen({ ...facts, stopping: this.#stopping });
  }
}
