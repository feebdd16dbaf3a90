/* The package's door: all that others may import, and nothing runs by importing it. */
export {
  CancelRequested,
  HandlerCrashed,
  LeaseLost,
  ShuttingDown,
  TimedOut,
} from '#workers/abort-reasons';
export type { JobContext } from '#workers/context';
export { type AnyJobDefinition, defineJob, type JobDefaults, type JobDefinition } from '#workers/define-job';
export { JobError, type JobErrorOptions } from '#workers/job-error';
export type { JobSnapshot, RetrySnapshot } from '#workers/job-snapshot';
export type { RetryOptions } from '#workers/retry-options';
export type { Worker } from '#workers/worker';
export { HoldfastError } from './library/errors.ts';
export type { JobEvent } from './library/event-snapshot.ts';
export type {
  Holdfast,
  ListedJobSnapshot,
  ListOptions,
  SubmitManyItem,
  SubmitManyResult,
  WorkerSettings,
} from './library/holdfast.ts';
export { type DatabaseOptions, openHoldfast, type ServerOptions } from './library/open.ts';
export type { SubmitOptions } from './library/requests.ts';
