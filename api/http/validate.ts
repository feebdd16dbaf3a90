import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { fieldProblems, withoutRepeats } from '#domain/json/problems';
import type { FieldProblem, JsonValue } from '#domain/json/value';
import type { JsonBody } from '../json/body.ts';
import { ApiProblem, invalidRequest, type WrongField } from '../problems/problem.ts';
import { jobNotFound } from '../problems/rejections.ts';
import { readSentBody } from './body.ts';
import { headerProblems } from './headers.ts';
import { type ItemProblems, MOST_ITEM_PROBLEMS, NO_ITEM_PROBLEMS, partByItem } from './judged-alone.ts';
import { queryStringProblem, type RawQuery } from './query-string.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it was sent, before the schema filled or read anything. */
    sentBody: JsonValue | undefined;
    /** What is wrong with items that are judged alone, beside what their schema says. */
    itemProblems: ItemProblems;
  }
}

/**
 * Checks path, query, headers and body against the schemas of the route and puts what they read in their place. All that is wrong
 * is named at once. A path that fits no id is a path that names nothing.
 */
export async function validateRequest(request: FastifyRequest): Promise<void> {
  const { params, querystring, headers, body } = request.routeOptions.schema ?? {};
  const wrong: WrongField[] = [];
  request.itemProblems = NO_ITEM_PROBLEMS;
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
  const sent = readJson(request, wrong);
  if (sent === undefined) return undefined;
  request.sentBody = sent.value;
  const parsed = schema.safeParse(sent.value, { reportInput: true });
  const problems = withoutRepeats(sent.problems.slice(0, MOST_NAMED), parsed.error ? fieldProblems(parsed.error) : []);
  wrong.push(...problems);
  return parsed.data;
}

/** The body and what is wrong with it as a whole; undefined when it is no JSON. */
function readJson(request: FastifyRequest, wrong: WrongField[]): JsonBody | undefined {
  const { judgedAlone } = request.routeOptions.config;
  try {
    if (judgedAlone === undefined) return readSentBody(request);
    const { value, problems } = readSentBody(request, MOST_ITEM_PROBLEMS);
    const { ofBody, ofItems } = partByItem(problems, judgedAlone);
    request.itemProblems = ofItems;
    return { value, problems: ofBody };
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'invalid-request') throw error;
    wrong.push(...error.errors);
    return undefined;
  }
}

/** More than anyone reads. */
const MOST_NAMED = 20;

type QueryProblem = Extract<WrongField, { parameter: string }>;

const NO_PARAMETERS = z.strictObject({});

function readQuery(schema: unknown, query: RawQuery, wrong: WrongField[]): unknown {
  const known: z.ZodObject = schema instanceof z.ZodObject ? schema : NO_PARAMETERS;
  const problems: QueryProblem[] = queryStringProblem(query);
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
  wrong.push(...onePerParameter(problems));
  return parsed.data ?? values;
}

/** A parameter is named once, by the first thing that is wrong with it. */
function onePerParameter(problems: readonly QueryProblem[]): QueryProblem[] {
  return [...new Map(problems.toReversed().map((problem) => [problem.parameter, problem])).values()].reverse();
}

function asParameter({ pointer, detail }: FieldProblem): QueryProblem {
  return { parameter: pointer.split('/')[1] ?? '', detail };
}

function isList(schema: unknown): boolean {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) return isList(schema.unwrap());
  return schema instanceof z.ZodArray;
}
