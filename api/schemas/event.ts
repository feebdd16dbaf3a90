import { z } from 'zod';
import { toInstantText } from '#domain/instant';
import type { StoredEvent } from '../ports.ts';

const metadata = z.object({
  event_id: z.uuid(),
  schema_version: z.int(),
  actor: z.string(),
  request_id: z.string().nullable(),
  $correlationId: z.string().nullable(),
  $causationId: z.string().nullable(),
  traceparent: z.string().nullable(),
});

export const eventSchema = z
  .object({
    version: z.int().min(0),
    type: z.string(),
    recorded_at: z.string().meta({ format: 'date-time' }),
    position: z.string(),
    data: z.record(z.string(), z.unknown()),
    metadata,
  })
  .meta({ id: 'Event' });

/**
 * An event of a job as its history shows it. All events of a job belong together under the job's id; an event stores
 * another correlation only when it has one.
 */
export function eventView(jobId: string, event: Omit<StoredEvent, 'stream'>): object {
  const { schema_version, actor, request_id, $correlationId, $causationId, traceparent } = event.metadata;
  return {
    version: event.version,
    type: event.type,
    recorded_at: toInstantText(event.recordedAt),
    position: event.position,
    data: event.data,
    metadata: {
      event_id: event.id,
      schema_version,
      actor,
      request_id: request_id ?? null,
      $correlationId: $correlationId ?? jobId,
      $causationId: $causationId ?? null,
      traceparent: traceparent ?? null,
    },
  };
}
