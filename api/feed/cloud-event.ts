import { z } from 'zod';
import { toInstantText } from '#domain/instant';
import type { StoredEvent } from '../ports.ts';

/** What a job is, as far as the feed tells it with each event. */
export interface JobKind {
  readonly type: string;
  readonly queue: string;
}

export const cloudEventSchema = z
  .object({
    specversion: z.literal('1.0'),
    id: z.uuid(),
    source: z.literal('holdfast'),
    type: z.string(),
    subject: z.uuid().meta({ description: 'The job' }),
    time: z.string().meta({ format: 'date-time' }),
    datacontenttype: z.literal('application/json'),
    position: z.string(),
    streamversion: z.int().min(0),
    jobtype: z.string(),
    queue: z.string(),
    actor: z.string(),
    correlationid: z.string(),
    causationid: z.string().optional(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'CloudEvent' });

/** An event of a job as CloudEvents 1.0. Attributes that do not apply are absent. */
export function cloudEvent(jobId: string, job: JobKind, event: StoredEvent): object {
  const { schema_version, actor, $correlationId, $causationId } = event.metadata;
  return {
    specversion: '1.0',
    id: event.id,
    source: 'holdfast',
    type: `holdfast.job.${kebab(event.type)}.v${schema_version}`,
    subject: jobId,
    time: toInstantText(event.recordedAt),
    datacontenttype: 'application/json',
    position: event.position,
    streamversion: event.version,
    jobtype: job.type,
    queue: job.queue,
    actor,
    correlationid: $correlationId ?? jobId,
    ...($causationId !== undefined && { causationid: $causationId }),
    data: event.data,
  };
}

/** `DeadLettered` is `dead-lettered`. */
function kebab(name: string): string {
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}
