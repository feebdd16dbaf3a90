export interface JobErrorOptions {
  /** A short stable name that people can search for, such as `ENOENT`. */
  readonly code?: string;
  /** False when another attempt cannot help. Default true. */
  readonly retryable?: boolean;
  /** When to try again, in seconds from now; replaces the job's backoff for this once. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

const MARK = Symbol.for('holdfast.job-error');

/** What a handler throws to say more about its failure than a message. */
export class JobError extends Error {
  override readonly name = 'JobError';
  readonly [MARK] = true;
  readonly code: string | null;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | null;

  constructor(message: string, options: JobErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = options.code ?? null;
    this.retryable = options.retryable ?? true;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }
}

/** A handler may have been linked against another copy of the package, so the class is known by its mark. */
export function isJobError(value: unknown): value is JobError {
  return value instanceof Error && MARK in value;
}
