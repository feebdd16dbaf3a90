import { z } from 'zod';

/** The shape of every list. */
export function pageOf(item: z.ZodType): z.ZodType {
  return z.object({ data: z.array(item), next_cursor: z.string().nullable() });
}
