import { z } from 'zod';
import { parseInstant } from '../instant.ts';
import { isStorableText, type JsonObject, type JsonValue, jsonProblems } from '../json/value.ts';
import * as limits from './limits.ts';

/** The fields that requests are made of. Values are taken as they stand: nothing is coerced. */

const pattern = (regex: RegExp) => z.string().regex(regex, `must match ${regex.source}`);
export const whole = (min: number, max: number) => {
  const detail = `must be a whole number from ${min} to ${max}`;
  return z.number(detail).int(detail).min(min, detail).max(max, detail);
};

/** Text that people write: storable, bounded in characters. */
export const text = (max: number, min = 0) =>
  z
    .string()
    .min(min, `must have at least ${min} character`)
    .max(max, `must have at most ${max} characters`)
    .refine(isStorableText, 'must not contain NUL or half a surrogate pair');

/** Any JSON value that every reader gets back unchanged. */
export const jsonValue = z.custom<JsonValue>().superRefine((value, context) => {
  for (const { pointer, detail } of jsonProblems(value)) {
    context.addIssue({ code: 'custom', message: detail, path: pointerPath(pointer) });
  }
});

const jsonObject = jsonValue.refine(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be a JSON object',
) as unknown as z.ZodType<JsonObject>;

function pointerPath(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** An RFC 3339 instant with any offset, up to the year 9999; epoch milliseconds from here on. */
const instantField = z.string().transform((value, context) => {
  const instant = parseInstant(value);
  if (instant !== undefined) return instant;
  context.addIssue({
    code: 'custom',
    message: 'must be an RFC 3339 instant such as 2026-11-30T12:00:00Z, up to the year 9999',
  });
  return z.NEVER;
});

/** Seconds from now, fractions allowed. */
const delay = z
  .number('must be a number of seconds')
  .min(0, 'must not be negative')
  .max(limits.MAX_DELAY_SECONDS, `must be at most ${limits.MAX_DELAY_SECONDS}`);

const KEY_DETAIL = 'must be 1 to 255 visible ASCII characters';

export const field = {
  type: pattern(limits.TYPE_PATTERN),
  queue: pattern(limits.QUEUE_PATTERN),
  payload: jsonObject,
  priority: whole(-100, 100),
  scheduledAt: instantField,
  delaySeconds: delay,
  attempts: whole(1, 100),
  leaseSeconds: whole(5, 3600),
  timeoutSeconds: whole(1, 31_536_000),
  tags: z.array(text(limits.MAX_TAG_LENGTH, 1)).max(limits.MAX_TAGS, `must have at most ${limits.MAX_TAGS} tags`),
  reason: text(limits.MAX_REASON_LENGTH).nullable(),
  workerId: text(limits.MAX_WORKER_ID_LENGTH, 1),
  fencingToken: whole(1, Number.MAX_SAFE_INTEGER),
  requestId: text(255, 1),
  idempotencyKey: z.string(KEY_DETAIL).regex(limits.IDEMPOTENCY_KEY_PATTERN, KEY_DETAIL),
};

/** A start is said as an instant or as a delay, not both. For `refine`. */
export const oneStart = {
  holds: ({ scheduled_at, delay_seconds }: { scheduled_at?: unknown; delay_seconds?: unknown }) =>
    scheduled_at === undefined || delay_seconds === undefined,
  told: {
    path: ['delay_seconds'],
    message: 'must not be given together with scheduled_at',
    // Also when other fields are wrong, so that all that is wrong is told at once.
    when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null,
  },
};
