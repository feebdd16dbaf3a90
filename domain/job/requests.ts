import { z } from 'zod';
import type { JobCommand } from './commands.ts';
import { field, oneStart } from './fields.ts';
import { startOf } from './submit.ts';

/* What clients ask of a job that is there. The API and the library in process take the same. */

export const reasonRequest = z.strictObject({ reason: field.reason.optional() });

export const replayRequest = z.strictObject({
  reason: field.reason.optional(),
  max_attempts: field.attempts.optional(),
  payload: field.payload.optional(),
});

export const rescheduleRequest = z
  .strictObject({
    scheduled_at: field.scheduledAt.optional(),
    delay_seconds: field.delaySeconds.optional(),
    priority: field.priority.optional(),
  })
  .refine(oneStart.holds, oneStart.told)
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    message: 'must have scheduled_at, delay_seconds or priority',
  });

/** @param now - Epoch milliseconds, which a delay counts from. */
export function rescheduleCommand(request: z.output<typeof rescheduleRequest>, now: number): JobCommand {
  const { scheduled_at, delay_seconds, priority = null } = request;
  const keepsTime = scheduled_at === undefined && delay_seconds === undefined;
  return { kind: 'reschedule', scheduledAt: keepsTime ? null : startOf(request, now), priority };
}
