import { z } from 'zod';
import { jobNotFound } from '#api/problems/rejections';
import type { JobAt } from '#commands/contract';
import { field } from '#domain/job/fields';
import { isFinished, JOB_STATUSES } from '#domain/job/state';
import { jobView, LARGE_FIELDS } from '#domain/job/view';
import { parseRequest } from '#domain/json/problems';
import { JOB_SORTS } from '#projections/jobs/list-queries';
import type { Core } from '../compose.ts';
import type { ReadSide } from '../read-side.ts';
import type { Backend } from './backend.ts';

const list = z
  .strictObject({
    status: z.array(z.enum(JOB_STATUSES)).default([]),
    queue: z.array(field.queue).default([]),
    type: z.array(field.type).default([]),
    tag: z.array(z.string()).default([]),
    createdAfter: field.scheduledAt.optional(),
    createdBefore: field.scheduledAt.optional(),
    acknowledged: z.boolean().optional(),
    sort: z.enum(JOB_SORTS).default('-created_at'),
    limit: z.number().int().min(1).max(200).default(50),
    cursor: z.string().optional(),
    include: z.array(z.enum(LARGE_FIELDS)).default([]),
  })
  .refine(({ include, limit }) => include.length === 0 || limit <= 50, {
    path: ['limit'],
    message: 'must be at most 50 together with include',
  });

const get = z.strictObject({
  version: z.number().int().min(0).optional(),
  asOf: z.date().optional(),
  waitSeconds: z.number().min(0).max(60).optional(),
});

/** Reading one job folds its stream, as the API does; lists come from the read tables. */
export function localReads(core: Core, reads: ReadSide): Pick<Backend, 'get' | 'list'> {
  return {
    async get(id, query) {
      const { version, asOf, waitSeconds = 0 } = parseRequest(get, query);
      const upTo = { ...(version !== undefined && { version }), ...(asOf && { asOf: asOf.getTime() }) };
      const at = await core.commands.read(id, upTo);
      if (!at) throw jobNotFound();
      return jobView((waitSeconds > 0 ? await whenFinal(core, at, waitSeconds) : at).job);
    },
    async list(query) {
      const { createdAfter, createdBefore, acknowledged, status, queue, type, tag, ...page } = parseRequest(
        list,
        query,
      );
      const filters = {
        status,
        queue,
        type,
        tags: tag,
        createdAfter: createdAfter ?? null,
        createdBefore: createdBefore ?? null,
        acknowledged: acknowledged ?? null,
      };
      const { rows, nextCursor } = await reads.listJobs({ ...page, filters, cursor: page.cursor ?? null });
      return { data: rows, nextCursor };
    },
  };
}

/** The job once it is final, or as it is when the time is over. */
async function whenFinal({ commands, log, names }: Core, at: JobAt, seconds: number): Promise<JobAt> {
  const stream = names.job(at.job.id);
  const signal = AbortSignal.timeout(seconds * 1000);
  let latest = at;
  if (isFinished(latest.job)) return latest;
  for await (const { events } of log.subscribe({ after: at.position, signal })) {
    if (!events.some((event) => event.stream === stream)) continue;
    latest = (await commands.read(at.job.id)) ?? latest;
    if (isFinished(latest.job)) break;
  }
  return latest;
}
