import { z } from 'zod';
import { PROBLEMS, type ProblemCode } from '../problems/codes.ts';
import { PROBLEM_MEDIA_TYPE } from '../problems/problem.ts';

const codes = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]];

const wrongField = z.object({
  pointer: z.string().optional().meta({ description: 'JSON Pointer into the body' }),
  parameter: z.string().optional().meta({ description: 'Name of a query parameter' }),
  header: z.string().optional(),
  detail: z.string(),
});

export const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(codes),
    detail: z.string(),
    instance: z.string(),
    request_id: z.string(),
    errors: z.array(wrongField),
  })
  .meta({
    id: 'Problem',
    examples: [
      {
        type: '/docs/errors/invalid-request',
        title: 'The request is not valid',
        status: 400,
        code: 'invalid-request',
        detail: '1 field is wrong',
        instance: '/v1/jobs',
        request_id: 'req-9',
        errors: [{ pointer: '/queue', detail: 'must match ^[a-z0-9][a-z0-9_-]{0,63}$' }],
      },
    ],
  });

/** Every call may be answered by these. */
const EVERYWHERE: readonly ProblemCode[] = ['invalid-request', 'unauthorized', 'forbidden', 'internal', 'unavailable'];

/** The answers of a route for its OpenAPI description: its own by status, and the problems it may give. */
export function answers(own: Record<number, z.ZodType>, codes: readonly ProblemCode[] = []): Record<number, unknown> {
  const byStatus = Map.groupBy([...EVERYWHERE, ...codes], (code) => PROBLEMS[code].status);
  const problems = [...byStatus].map(([status, group]) => [
    status,
    {
      description: [...new Set(group)].join(', '),
      content: { [PROBLEM_MEDIA_TYPE]: { schema: problemSchema } },
    },
  ]);
  return { ...Object.fromEntries(problems), ...own };
}
