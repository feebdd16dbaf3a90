import { z } from 'zod';
import { parseInstant } from '#domain/instant';
import { QUEUE_PATTERN, TYPE_PATTERN } from '#domain/job/limits';
import { isStorableText } from '#domain/json/value';

/** Query parameters. Each is text; what it stands for is read strictly or refused. */

/** Digits only: no sign, no space, no exponent. */
export function digits(min: number, max: number) {
  const detail = `must be a whole number from ${min} to ${max}, in digits`;
  return z
    .string()
    .refine((text) => /^[0-9]{1,16}$/.test(text) && Number(text) >= min && Number(text) <= max, detail)
    .transform(Number)
    .meta({ type: 'integer', minimum: min, maximum: max });
}

const instant = z
  .string()
  .transform((value, context) => {
    const at = parseInstant(value);
    if (at !== undefined) return at;
    context.addIssue({ code: 'custom', message: 'must be an RFC 3339 instant such as 2026-11-30T12:00:00Z' });
    return z.NEVER;
  })
  .meta({ format: 'date-time' });

const matching = (pattern: RegExp) => z.string().regex(pattern, `must match ${pattern.source}`);

export const parameter = {
  /** Seconds that a call may wait for an answer. */
  wait: digits(0, 60),
  minPosition: z.string().min(1, 'must be a position'),
  instant,
  cursor: z.string().min(1, 'must be a cursor').max(2048, 'must be a cursor'),
  queue: matching(QUEUE_PATTERN),
  type: matching(TYPE_PATTERN),
  boolean: z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true'),
  /** Text that is compared as it stands. */
  text: (max: number) =>
    z
      .string()
      .min(1, 'must not be empty')
      .max(max, `must have at most ${max} characters`)
      .refine(isStorableText, 'must not contain NUL or half a surrogate pair'),
} as const;

/** For a `refine` across parameters: asked also when others are wrong, so that all that is wrong is told at once. */
export const whateverElseIsWrong = () => true;

/** A parameter that may be given several times; left out, it is an empty list. */
export function repeated<T extends z.ZodType<unknown, string>>(value: T) {
  return z.array(value).max(100, 'must not be repeated more than 100 times').default([]);
}

/** Every query takes it: the answer shows everything up to this position. */
export const minPosition = { min_position: parameter.minPosition.optional() };
