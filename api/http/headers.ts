import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { field } from '#domain/job/fields';
import type { WrongField } from '../problems/problem.ts';

/* Request headers that mean something here. A route names those it takes in its schema, where they are checked. */

export const idempotencyKeyHeader = z.object({
  'idempotency-key': field.idempotencyKey
    .optional()
    .meta({ description: 'The same request sent again with the same key is answered with the job of the first.' }),
});

const ONE_VERSION = /^(?:\*|"(0|[1-9][0-9]{0,15})")$/;

export const ifMatchHeader = z.object({
  'if-match': z
    .string()
    .regex(ONE_VERSION, 'must be one version in quotes, or *')
    .optional()
    .meta({ description: 'Refuses the call with 412 when the job has another version than this ETag.' }),
});

/** What is wrong with the headers that a route takes. A header that counts must not be sent twice. */
export function headerProblems(schema: z.ZodObject, { raw }: FastifyRequest): WrongField[] {
  return Object.entries(schema.shape).flatMap(([name, value]) => {
    // Node makes the distinct ones of all headers when they are asked for.
    const given = raw.headers[name] === undefined ? [] : (raw.headersDistinct[name] ?? []);
    if (given.length > 1) return [{ header: titleOf(name), detail: 'must be given once' }];
    const parsed = (value as z.ZodType).safeParse(given[0]);
    return parsed.success ? [] : parsed.error.issues.map(({ message }) => ({ header: titleOf(name), detail: message }));
  });
}

function titleOf(name: string): string {
  return name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

/** The `Idempotency-Key` of a checked request, or null. */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | null {
  const key = headers['idempotency-key'];
  return typeof key === 'string' ? key : null;
}

/** The version that `If-Match` asks for, in a checked request; undefined when any will do. */
export function expectedVersion({ headers }: FastifyRequest): number | undefined {
  const version = ONE_VERSION.exec(headers['if-match'] ?? '')?.[1];
  return version === undefined ? undefined : Number(version);
}

/** Whether the client has this version already (`If-None-Match`; weak tags count, as HTTP says). */
export function hasVersion({ headers }: FastifyRequest, version: number): boolean {
  const tags = headers['if-none-match']?.split(',').map((tag) => tag.trim()) ?? [];
  return tags.some((tag) => tag === '*' || tag.replace(/^W\//, '') === `"${version}"`);
}

/** As W3C Trace Context has it: version ff and ids of zeros alone are none. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export function traceparentOf({ headers }: FastifyRequest): string | undefined {
  const header = headers.traceparent;
  return typeof header === 'string' && TRACEPARENT.test(header) ? header : undefined;
}
