import type { Logger } from '#runtime/logger';
import { jittered, pause } from '#runtime/timer';
import { Bell } from './bell.ts';
import type { ClaimAnswer, WorkerGateway } from './gateway.ts';
import { Outage } from './outage.ts';

export interface ClaimLoopOptions {
  readonly gateway: Pick<WorkerGateway, 'claim' | 'mostJobs'>;
  readonly logger: Logger;
  /** How many jobs to ask for now. */
  readonly wanted: () => number;
  /** Gets the answer to a claim of `asked` jobs, empty ones as well. */
  readonly onAnswer: (answer: ClaimAnswer, asked: number) => void;
  /** The longest time between two looks, in milliseconds. */
  readonly pollMs: number;
}

/** A job that is due and yet cannot be had must not make the loop spin. */
const SHORTEST_REST_MS = 50;

/** Asks for as many jobs as are wanted, for ever; no error ends it. */
export class ClaimLoop {
  readonly #options: ClaimLoopOptions;
  readonly #outage: Outage;
  readonly #work = new Bell();
  readonly #room = new Bell();
  readonly #stop = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  constructor(options: ClaimLoopOptions) {
    this.#options = options;
    this.#outage = new Outage('claiming jobs', options.logger);
  }

  start(): void {
    this.#ended = this.#run();
  }

  /** There may be work. */
  wake(): void {
    this.#work.ring();
  }

  /** There is room again. Nobody looks for work because of that unless work had to be left for want of room. */
  roomFreed(): void {
    this.#room.ring();
  }

  /** Asks no more. @returns Resolved when the answer of a claim under way has come, and its leases were handed on. */
  stop(): Promise<void> {
    this.#stop.abort();
    this.#work.ring();
    this.#room.ring();
    return this.#ended;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const wanted = Math.min(this.#options.wanted(), this.#options.gateway.mostJobs);
      if (wanted > 0) await this.#claim(wanted);
      else await this.#room.wait(this.#options.pollMs);
      // A turn of the loop, so that slots that become free together are filled by one claim.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #claim(maxJobs: number): Promise<void> {
    this.#work.quiet();
    this.#room.quiet();
    let answer: ClaimAnswer;
    try {
      answer = await this.#options.gateway.claim(maxJobs);
      this.#outage.succeeded();
    } catch (error) {
      const delayMs = this.#outage.failed(error);
      return pause(delayMs, this.#stop.signal);
    }
    this.#options.onAnswer(answer, maxJobs);
    // Fewer than asked for may also mean that others were quicker, so only an empty answer is a reason to rest.
    if (answer.leases.length === 0 && !this.#stop.signal.aborted) await this.#work.wait(this.#restMs(answer));
  }

  #restMs({ nextDueInMs }: ClaimAnswer): number {
    const poll = jittered(this.#options.pollMs);
    return nextDueInMs === null ? poll : Math.min(poll, Math.max(SHORTEST_REST_MS, nextDueInMs));
  }
}
