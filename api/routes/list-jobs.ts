import { z } from 'zod';
import { JOB_STATUSES } from '#domain/job/state';
import { LARGE_FIELDS, type LargeField } from '#domain/job/view';
import { JOB_SORTS, type JobSort, type ListRequest } from '#projections/jobs/list-queries';
import type { ApiContext } from '../context.ts';
import type { App } from '../http/app-type.ts';
import { settleTables } from '../http/positions.ts';
import { digits, minPosition, parameter, repeated, whateverElseIsWrong } from '../http/query-fields.ts';
import { listedJobSchema } from '../schemas/job.ts';
import { pageOf } from '../schemas/page.ts';
import { answers } from '../schemas/problem.ts';
import { listJobsAsOf } from './list-as-of.ts';

const oneOf = <T extends string>(values: readonly T[]) => z.enum(values, `must be one of ${values.join(', ')}`);
/** What a job was sorted by at an earlier instant is in no index. */
const MUTABLE_SORTS: readonly JobSort[] = ['scheduled_at', '-updated_at'];
const MOST = 200;
const MOST_WITH_LARGE_FIELDS = 50;

const include = z
  .string()
  .transform((text, context) => {
    const names = text.split(',');
    const unknown = names.filter((name) => !LARGE_FIELDS.includes(name as LargeField));
    if (unknown.length === 0) return names as LargeField[];
    context.addIssue({
      code: 'custom',
      message: `must be some of ${LARGE_FIELDS.join(', ')}, with commas between them`,
    });
    return z.NEVER;
  })
  .meta({ description: `Some of ${LARGE_FIELDS.join(', ')}, with commas between them; limit is then at most 50` });

const querystring = z
  .strictObject({
    status: repeated(oneOf(JOB_STATUSES)),
    queue: repeated(parameter.queue),
    type: repeated(parameter.type),
    tag: repeated(parameter.text(64)).meta({ description: 'Repeated: all of them' }),
    created_after: parameter.instant.optional().meta({ description: 'Inclusive' }),
    created_before: parameter.instant.optional().meta({ description: 'Exclusive' }),
    acknowledged: parameter.boolean.optional(),
    sort: oneOf(JOB_SORTS).default('-created_at'),
    limit: digits(1, MOST).optional().meta({ description: 'Default 50' }),
    cursor: parameter.cursor.optional(),
    include: include.optional(),
    as_of: parameter.instant.optional().meta({ description: 'Jobs as they were at this instant; sorted by creation' }),
    ...minPosition,
  })
  .refine((query) => !query.include || !(Number(query.limit) > MOST_WITH_LARGE_FIELDS), {
    path: ['limit'],
    when: whateverElseIsWrong,
    message: `must be at most ${MOST_WITH_LARGE_FIELDS} together with include`,
  })
  .refine((query) => query.as_of === undefined || !MUTABLE_SORTS.includes(query.sort), {
    path: ['sort'],
    when: whateverElseIsWrong,
    message: 'must be created_at or -created_at together with as_of',
  });

export function listJobsRoute(app: App, context: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/v1/jobs',
    schema: {
      operationId: 'listJobs',
      tags: ['jobs'],
      summary: 'List jobs',
      description:
        'Newest first unless sorted otherwise. A walk meets every job once; but one that is changed meanwhile moves to the front of `-updated_at`, where a walk that has left finds it no more. A repeated status, queue or type means any of them, a repeated tag all of them. A cursor belongs to the filters and the sort it was made with.',
      querystring,
      response: answers({ 200: pageOf(listedJobSchema) }, ['read-model-behind']),
    },
    async handler(request, reply) {
      await settleTables(context, reply, ['jobs'], request.query.min_position);
      const { as_of } = request.query;
      const asked = listRequest(request.query);
      const list = as_of === undefined ? context.reads.listJobs(asked) : listJobsAsOf(context, asked, as_of);
      const { rows, nextCursor } = await list;
      return reply.send({ data: rows, next_cursor: nextCursor });
    },
  });
}

function listRequest(query: z.output<typeof querystring>): ListRequest {
  const { status, queue, type, tag, created_after, created_before, acknowledged } = query;
  return {
    filters: {
      status,
      queue,
      type,
      tags: tag,
      createdAfter: created_after ?? null,
      createdBefore: created_before ?? null,
      acknowledged: acknowledged ?? null,
    },
    sort: query.sort,
    limit: query.limit ?? 50,
    cursor: query.cursor ?? null,
    include: query.include ?? [],
  };
}
