import { z } from 'zod';

const instant = z.string().meta({ format: 'date-time' });

export const REASONS = [
  'due-later',
  'retry-wait',
  'queue-paused',
  'limit-reached',
  'rate-limited',
  'no-worker',
  'behind-others',
  'leased',
  'lease-overdue',
  'final',
] as const;

export const explanationSchema = z
  .object({
    job_id: z.uuid(),
    status: z.string(),
    code: z.enum(REASONS),
    message: z.string(),
    until: instant.nullable().meta({ description: 'When this is expected to end' }),
    causes: z
      .array(
        z.object({
          code: z.enum(['error', 'lease-expired', 'released', 'replayed']),
          version: z.int(),
          at: instant,
          message: z.string(),
        }),
      )
      .meta({ description: 'Why another attempt followed, oldest first; the last 100' }),
  })
  .meta({ id: 'Explanation' });

export type Explanation = z.output<typeof explanationSchema>;
