import type { ProductName } from '../products/catalog.ts';
import type { ProductOptions } from '../products/product.ts';

export interface LoopResult {
  readonly jobs: number;
  readonly seconds: number;
  /** Milliseconds, one a call. */
  readonly latencies: Float64Array;
}

export interface OpenLoopResult {
  /** Epoch milliseconds by job: when the call was made or, with `from: 'plan'`, was to be made. */
  readonly sentAt: Float64Array;
  readonly acknowledgedAt: Float64Array;
}

export interface OpenLoop {
  readonly first: number;
  readonly jobs: number;
  readonly perSecond: number;
  /** A caller that is late is not the product's fault when the system is idle, and is when the load makes it late. */
  readonly from: 'call' | 'plan';
}

/** What the handlers of one worker process saw. Times are epoch milliseconds, 0 for what did not happen. */
export interface Handled {
  /** How often each job was started. */
  readonly starts: Uint8Array;
  readonly startedAt: Float64Array;
  readonly doneAt: Float64Array;
}

export interface Usage {
  readonly cpuSeconds: number;
  readonly peakRssBytes: number;
}

/** What the bench asks of a load or worker process. */
export interface ChildCalls {
  create(product: ProductName, options: ProductOptions): Promise<void>;
  setup(): Promise<void>;
  openSubmitter(): Promise<void>;
  /** Batches one after the other. @returns Seconds. */
  submitBulk(plan: { readonly first: number; readonly jobs: number; readonly batch: number }): Promise<number>;
  /** So many clients, each submits its next job when the last was acknowledged. */
  submitClosed(plan: { readonly clients: number; readonly seconds: number }): Promise<LoopResult>;
  submitOpen(plan: OpenLoop): Promise<OpenLoopResult>;
  /** Forgets what was handled and gets ready to count these jobs. */
  expect(first: number, jobs: number): Promise<void>;
  /** @returns When it was told to start, epoch milliseconds. */
  startWorker(): Promise<number>;
  handledCount(): Promise<number>;
  handled(): Promise<Handled>;
  stopWorker(): Promise<void>;
  isDrained(): Promise<boolean>;
  audit(jobs: number): Promise<void>;
  storedBytes(): Promise<number>;
  doneTimes(): Promise<readonly (readonly [n: number, at: number])[]>;
  usage(): Promise<Usage>;
  close(): Promise<void>;
}

export interface CallMessage {
  readonly id: number;
  readonly name: keyof ChildCalls;
  readonly args: readonly unknown[];
}

export type AnswerMessage = { readonly id: number } & ({ readonly value: unknown } | { readonly error: string });
