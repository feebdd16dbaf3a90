import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { fieldProblems } from '#domain/json/problems';
import type { JsonValue } from '#domain/json/value';
import { ApiProblem, invalidRequest, type WrongField } from '../problems/problem.ts';
import { jobNotFound } from '../problems/rejections.ts';
import { readSentBody } from './body.ts';
import { headerProblems } from './headers.ts';
import { queryStringProblem, type RawQuery } from './query-string.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it was sent, before the schema filled or read anything. */
    sentBody: JsonValue | undefined;
  }
}

/**
 * Checks path, query, headers and body against the schemas of the route and puts what they read in their place. All that is wrong
 * is named at once. A path that fits no id is a path that names nothing.
 */
export async function validateRequest(request: FastifyRequest): Promise<void> {
  const { params, querystring, headers, body } = request.routeOptions.schema ?? {};
  const wrong: WrongField[] = [];
  if (params instanceof z.ZodType) request.params = readPath(params, request.params);
  request.query = readQuery(querystring, request.query as RawQuery, wrong);
  if (headers instanceof z.ZodObject) wrong.push(...headerProblems(headers, request));
  if (body instanceof z.ZodType) request.body = readBody(body, request, wrong);
  if (wrong.length > 0) throw invalidRequest(wrong);
}

function readPath(schema: z.ZodType, params: unknown): unknown {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const names = Object.keys(params as object);
  throw names.includes('id') ? jobNotFound() : new ApiProblem('not-found', 'There is nothing with this name.');
}

function readBody(schema: z.ZodType, request: FastifyRequest, wrong: WrongField[]): unknown {
  try {
    request.sentBody = readSentBody(request);
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'invalid-request') throw error;
    wrong.push(...error.errors);
    return undefined;
  }
  const parsed = schema.safeParse(request.sentBody, { reportInput: true });
  if (parsed.success) return parsed.data;
  wrong.push(...fieldProblems(parsed.error));
  return undefined;
}

const NO_PARAMETERS = z.strictObject({});

function readQuery(schema: unknown, query: RawQuery, wrong: WrongField[]): unknown {
  const known: z.ZodObject = schema instanceof z.ZodObject ? schema : NO_PARAMETERS;
  const problems = [...queryStringProblem(query)];
  const values: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(query)) {
    const parameter: unknown = Object.hasOwn(known.shape, name) ? known.shape[name] : undefined;
    if (parameter === undefined) problems.push({ parameter: name, detail: 'is not a known parameter' });
    else if (isList(parameter)) values[name] = given;
    else if (given.length > 1) problems.push({ parameter: name, detail: 'must be given once' });
    else values[name] = given[0];
  }
  const parsed = known.safeParse(values, { reportInput: true });
  if (!parsed.success) problems.push(...fieldProblems(parsed.error).map(asParameter));
  wrong.push(...problems);
  return parsed.data ?? values;
}

function asParameter({ pointer, detail }: { pointer: string; detail: string }): WrongField {
  return { parameter: pointer.split('/')[1] ?? '', detail };
}

function isList(schema: unknown): boolean {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) return isList(schema.unwrap());
  return schema instanceof z.ZodArray;
}
