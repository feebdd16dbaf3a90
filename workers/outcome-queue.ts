import type { Logger } from '#runtime/logger';
import { pause } from '#runtime/timer';
import type { Outcome, Report, ReportAnswer, WorkerGateway } from './gateway.ts';
import { Outage } from './outage.ts';

const MAX_BATCH = 1000;

export interface OutcomeQueueOptions {
  readonly gateway: Pick<WorkerGateway, 'report'>;
  readonly logger: Logger;
  readonly onAnswer: (report: Report<Outcome>, answer: ReportAnswer) => void;
}

/**
 * Sends outcomes in batches: at once when idle; while one batch is under way the next one gathers. A batch whose fate is
 * not known is sent again with the same body until it is, which the scheduler takes as the same report.
 */
export class OutcomeQueue {
  readonly #options: OutcomeQueueOptions;
  readonly #outage: Outage;
  readonly #givenUp = new AbortController();
  #waiting: Report<Outcome>[] = [];
  #underWay = 0;
  #draining: Promise<void> = Promise.resolve();

  constructor(options: OutcomeQueueOptions) {
    this.#options = options;
    this.#outage = new Outage('reporting outcomes', options.logger);
  }

  /** How many outcomes are not recorded yet. */
  get size(): number {
    return this.#waiting.length + this.#underWay;
  }

  add(report: Report<Outcome>): void {
    const idle = this.size === 0;
    this.#waiting.push(report);
    if (idle) this.#draining = this.#drain();
  }

  /** Resolves when all that was added is known, or was given up. */
  async settled(): Promise<void> {
    while (this.size > 0) await this.#draining;
  }

  /** Stops sending; what is left ends with its lease. */
  giveUp(): void {
    this.#givenUp.abort();
  }

  async #drain(): Promise<void> {
    // A turn of the loop, so that handlers that end together go into one batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_BATCH);
      this.#underWay = batch.length;
      await this.#send(batch);
      this.#underWay = 0;
    }
  }

  async #send(batch: readonly Report<Outcome>[]): Promise<void> {
    while (!this.#givenUp.signal.aborted) {
      try {
        const answers = await this.#options.gateway.report(batch);
        this.#outage.succeeded();
        for (const [index, report] of batch.entries()) this.#options.onAnswer(report, answers[index] as ReportAnswer);
        return;
      } catch (error) {
        await pause(this.#outage.failed(error), this.#givenUp.signal);
      }
    }
    const jobIds = batch.map(({ jobId }) => jobId);
    this.#options.logger.error({ jobIds }, 'outcomes could not be reported before the worker had to stop');
  }
}
