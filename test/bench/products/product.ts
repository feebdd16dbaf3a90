/** `fastest`: the product's fastest documented settings. `latency`: those for single jobs. Ours has its defaults in all. */
export type Mode = 'fastest' | 'latency' | 'defaults';

export interface ProductOptions {
  /** Of the database or the Redis server, which are new for each run. */
  readonly storeUrl: string;
  /** Of a Holdfast server, where the run has one. */
  readonly serverUrl: string | null;
  readonly mode: Mode;
  /** How many calls of `submitOne` are under way at once at most. */
  readonly clients: number;
}

/** What every job of the bench carries; `n` counts from 0 and tells the jobs of a run apart. */
export interface Payload {
  readonly n: number;
  readonly path: string;
}

export interface Submitter {
  /** Resolves once the product has acknowledged the job. */
  submitOne(payload: Payload): Promise<void>;
  submitMany(payloads: readonly Payload[]): Promise<void>;
  close(): Promise<void>;
}

export interface Observer {
  /** What the handler does, all of it. */
  onStart(n: number): void;
  /** The product has acknowledged the completion; for products where the worker can tell. */
  onDone(n: number): void;
}

/** One product on one store, in one process: the same few calls for all. */
export interface Product {
  /** Makes schema and queue. */
  setup(): Promise<void>;
  openSubmitter(): Promise<Submitter>;
  startWorker(observer: Observer): Promise<{ stop(): Promise<void> }>;
  /** Whether no job is waiting or running, by the product's own state. */
  isDrained(): Promise<boolean>;
  /** @throws when the product's own state is anything but so many jobs, each done once. */
  audit(jobs: number): Promise<void>;
  /** Everything the product keeps, indexes included. */
  storedBytes(): Promise<number>;
  /** When each job's completion was committed, epoch milliseconds; empty where the worker tells it. */
  doneTimes(): Promise<readonly (readonly [n: number, at: number])[]>;
  close(): Promise<void>;
}

export type CreateProduct = (options: ProductOptions) => Product;
