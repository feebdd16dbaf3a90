import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { WorkerFacts } from '#commands/contract';
import type { Logger } from '#runtime/logger';
import { every } from '#runtime/timer';
import { CancelRequested } from './abort-reasons.ts';
import { Attempt } from './attempt.ts';
import { ClaimAhead, LONGEST_WAIT_MS, type WaitingLease } from './claim-ahead.ts';
import { ClaimLoop } from './claim-loop.ts';
import type { AnyJobDefinition } from './define-job.ts';
import type { ClaimAnswer, Outcome, Report, ReportAnswer, WorkerGateway } from './gateway.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import { watchLoopLag } from './loop-lag.ts';
import { OutcomeQueue } from './outcome-queue.ts';
import { refusedResult, released } from './outcomes.ts';
import { Presence } from './presence.ts';
import { guardProcess } from './process-guard.ts';
import { RecentCancels } from './recent-cancels.ts';
import { runAttempt } from './run-attempt.ts';
import { shutDown } from './shutdown.ts';

export interface WorkerOptions {
  readonly workerId: string;
  readonly gateway: WorkerGateway;
  readonly jobs: readonly AnyJobDefinition[];
  /** Only what is shown of the worker; the gateway claims from them. Null means any. */
  readonly queues: readonly string[] | null;
  readonly concurrency: number;
  readonly pollMs: number;
  readonly shutdownSeconds: number;
  readonly version: string;
  readonly logger: Logger;
  /** Calls back when there may be new work, until what it returns is called. */
  readonly subscribeToWork?: (onWork: () => void) => () => void;
}

export interface Worker {
  readonly workerId: string;
  /** How many handlers have not ended. */
  running(): number;
  /**
   * Claims no more, waits up to `shutdownSeconds` for the handlers, tells the rest to stop, hands back what is left
   * without using up an attempt, and resolves. Calling it again returns the same promise.
   */
  stop(): Promise<void>;
}

/** After this long without a look by the event loop, a warning names the jobs that were running. */
const MAX_LAG_MS = 1000;
/** With so many outcomes that could not be sent yet, beside four for each slot, the worker stops claiming. */
const MOST_OUTCOMES = 2000;
const OUTCOMES_PER_SLOT = 4;

export function makeWorkerId(): string {
  return `${hostname().slice(0, 64)}-${process.pid}-${randomUUID().slice(0, 8)}`;
}

/** Starts a worker; it has registered itself and claims in the background when this returns. */
export function startWorker(options: WorkerOptions): Worker {
  return new JobWorker(options);
}

class JobWorker implements Worker {
  readonly workerId: string;
  readonly #options: WorkerOptions;
  readonly #definitions: ReadonlyMap<string, AnyJobDefinition>;
  readonly #attempts = new Map<Attempt, Promise<void>>();
  readonly #ahead = new ClaimAhead();
  readonly #cancels = new RecentCancels();
  readonly #outcomes: OutcomeQueue;
  readonly #keeper: LeaseKeeper;
  readonly #claims: ClaimLoop;
  readonly #presence: Presence;
  readonly #closing: (() => void)[];
  #stopped: Promise<void> | null = null;

  constructor(options: WorkerOptions) {
    const { gateway, logger, pollMs } = options;
    this.workerId = options.workerId;
    this.#options = options;
    this.#definitions = new Map(options.jobs.map((job) => [job.type, job]));
    this.#outcomes = new OutcomeQueue({
      gateway,
      logger,
      onAnswer: (report, answer) => this.#onAnswer(report, answer),
    });
    this.#keeper = new LeaseKeeper({ gateway, logger });
    this.#claims = new ClaimLoop({
      gateway,
      logger,
      pollMs,
      wanted: () => this.#wanted(),
      onAnswer: (answer, asked) => this.#onClaimed(answer, asked),
    });
    this.#presence = new Presence({ gateway, logger, facts: this.#facts() });
    this.#closing = this.#open();
  }

  running(): number {
    return this.#attempts.size;
  }

  stop(): Promise<void> {
    this.#stopped ??= shutDown({
      claims: this.#claims,
      attempts: this.#attempts,
      outcomes: this.#outcomes,
      presence: this.#presence,
      graceMs: this.#options.shutdownSeconds * 1000,
      logger: this.#options.logger,
      close: () => this.#close(),
    });
    this.#handBackWaiting();
    return this.#stopped;
  }

  #open(): (() => void)[] {
    const { gateway, logger, subscribeToWork } = this.#options;
    const closing = [
      guardProcess(logger),
      watchLoopLag(MAX_LAG_MS, () => this.#runningJobs(), logger),
      this.#cancels.follow(gateway, logger, (jobId) => this.#onCancel(jobId)),
      subscribeToWork?.(() => this.#claims.wake()) ?? (() => {}),
      every(LONGEST_WAIT_MS / 2, () => this.#handBackLate()),
    ];
    this.#presence.start();
    this.#claims.start();
    return closing;
  }

  #close(): void {
    for (const close of this.#closing) close();
  }

  #wanted(): number {
    const { concurrency } = this.#options;
    if (this.#outcomes.size > concurrency * OUTCOMES_PER_SLOT + MOST_OUTCOMES) return 0;
    return this.#ahead.wanted(concurrency - this.#attempts.size);
  }

  #onClaimed({ leases, claimedAt }: ClaimAnswer, asked: number): void {
    this.#ahead.add(leases, asked, claimedAt);
    if (this.#stopped) this.#handBackWaiting();
    this.#fillSlots();
  }

  #fillSlots(): void {
    while (this.#attempts.size < this.#options.concurrency) {
      const waiting = this.#ahead.next();
      if (!waiting) return;
      this.#start(waiting);
    }
  }

  /** What waits while slots are taken for long is another worker's to run. */
  #handBackLate(): void {
    const oldest = this.#ahead.oldestArrivedAt;
    if (oldest !== null && performance.now() - oldest > LONGEST_WAIT_MS) this.#handBackWaiting();
  }

  #handBackWaiting(): void {
    const reason = this.#stopped ? 'the worker stopped' : 'the worker is busy with other jobs';
    for (const { lease } of this.#ahead.takeAll()) {
      const attempt = new Attempt(lease, this.#options.logger, (settled, outcome) => this.#onSettled(settled, outcome));
      attempt.settle(released(attempt, reason));
    }
  }

  #start({ lease, claimedAt }: WaitingLease): void {
    const { logger } = this.#options;
    const attempt = new Attempt(lease, logger, (settled, outcome) => this.#onSettled(settled, outcome));
    const definition = this.#definitions.get(lease.job.type);
    if (!definition) return void attempt.settle(released(attempt, 'the worker has no handler for this type', 1));
    if (!this.#keeper.keep(attempt, claimedAt)) {
      // Another worker may run it by now, or it may be cancelled.
      attempt.log.warn('the claim was answered when its lease was over; the handler is not started');
      return void attempt.settle(released(attempt, 'the claim was answered too late'));
    }
    const ended = runAttempt(attempt, definition, (running, mark) => this.#keeper.beatNow(running, mark));
    this.#attempts.set(attempt, ended);
    if (this.#cancels.has(attempt.jobId)) attempt.abort(new CancelRequested('The job is to be cancelled'));
    void ended.then(() => {
      this.#attempts.delete(attempt);
      this.#ahead.slotFreed();
      this.#fillSlots();
      this.#claims.roomFreed();
    });
  }

  #onSettled(attempt: Attempt, outcome: Outcome | null): void {
    this.#keeper.letGo(attempt);
    if (outcome) this.#outcomes.add({ jobId: attempt.jobId, command: outcome });
    else attempt.log.warn('the lease was lost while the handler ran; its outcome is dropped');
  }

  #onAnswer({ jobId, command }: Report<Outcome>, answer: ReportAnswer): void {
    const { logger } = this.#options;
    // Outcomes that could not be sent may be what kept the worker from claiming.
    this.#claims.roomFreed();
    switch (answer.kind) {
      case 'accepted':
        return;
      case 'lost':
        logger.warn({ jobId, outcome: command.kind }, 'the outcome came too late: the lease was lost');
        return;
      case 'refused':
        logger.error({ jobId, outcome: command.kind, detail: answer.detail }, 'the outcome was refused');
        // Said as a failure, it is seen at once; left alone, the attempt would end with its lease and count as a crash.
        if (command.kind === 'complete') this.#outcomes.add({ jobId, command: refusedResult(command, answer.detail) });
    }
  }

  #onCancel(jobId: string): void {
    for (const attempt of this.#attempts.keys()) {
      if (attempt.jobId === jobId) attempt.abort(new CancelRequested('The job is to be cancelled'));
    }
  }

  #runningJobs(): string[] {
    return Array.from(this.#attempts.keys(), ({ jobId, lease }) => `${lease.job.type} ${jobId}`);
  }

  #facts(): WorkerFacts {
    const { workerId, queues, version, concurrency } = this.#options;
    const types = [...this.#definitions.keys()];
    return { workerId, host: hostname(), pid: process.pid, version, queues, types, concurrency };
  }
}
