import { z } from 'zod';
import { field } from '#domain/job/fields';
import { retryPolicy } from '#domain/job/retry';
import type { JsonObject } from '#domain/json/value';
import type { JobContext } from './context.ts';
import { type RetryOptions, retryRequest } from './retry-options.ts';

/** What every job of a type starts with unless its submit says otherwise. Durations are seconds. */
export interface JobDefaults {
  readonly queue?: string;
  readonly priority?: number;
  readonly retry?: RetryOptions;
  readonly maxAttempts?: number;
  readonly maxCrashes?: number;
  readonly leaseSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly tags?: readonly string[];
}

const MARK = Symbol.for('holdfast.job');

/** A job type and the code that runs it, as a worker keeps it. */
export interface AnyJobDefinition {
  readonly [MARK]: true;
  readonly type: string;
  readonly input: z.ZodType | null;
  readonly defaults: JobDefaults;
  /** A method, so that definitions of different inputs fit in one list. */
  run(ctx: JobContext, input: never): unknown;
}

/** `Sent` is the payload as it is submitted, `Input` what the handler gets after the schema's defaults and transforms. */
export interface JobDefinition<Sent, Input> extends AnyJobDefinition {
  readonly input: z.ZodType<Input, Sent> | null;
  run(ctx: JobContext, input: Input): unknown;
}

const defaults = z.strictObject({
  type: field.type,
  queue: field.queue.optional(),
  priority: field.priority.optional(),
  retry: z.preprocess((value) => (isRecord(value) ? retryRequest(value as never) : value), retryPolicy.optional()),
  maxAttempts: field.attempts.optional(),
  maxCrashes: field.attempts.optional(),
  leaseSeconds: field.leaseSeconds.optional(),
  timeoutSeconds: field.timeoutSeconds.optional(),
  tags: field.tags.optional(),
});

/**
 * Describes a job type. The handler's return value becomes the job's result as JSON (`undefined` as null; functions and
 * `undefined` inside objects are left out, as JSON does); a throw is a failed attempt.
 * @throws TypeError when a default is not one a submit would accept.
 */
export function defineJob<S extends z.ZodType>(
  options: JobDefaults & {
    readonly type: string;
    readonly input: S;
    run(ctx: JobContext, input: z.output<S>): unknown;
  },
): JobDefinition<z.input<S>, z.output<S>>;
export function defineJob(
  options: JobDefaults & { readonly type: string; run(ctx: JobContext, input: JsonObject): unknown },
): JobDefinition<JsonObject, JsonObject>;
export function defineJob(
  options: JobDefaults & { type: string; input?: z.ZodType; run(ctx: JobContext, input: never): unknown },
): AnyJobDefinition {
  const { input, run, ...rest } = options;
  const checked = defaults.safeParse(rest);
  if (!checked.success) throw new TypeError(`defineJob(${String(options.type)}): ${z.prettifyError(checked.error)}`);
  if (typeof run !== 'function') throw new TypeError(`defineJob(${options.type}): run must be a function`);
  const { type, ...given } = rest;
  return { [MARK]: true, type, input: input ?? null, defaults: given, run: run as AnyJobDefinition['run'] };
}

/** Known by a mark and not by identity: a handler module may come with its own copy of the package. */
export function isJobDefinition(value: unknown): value is AnyJobDefinition {
  return isRecord(value) && Object.hasOwn(value, MARK);
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
