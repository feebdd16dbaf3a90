import type { JsonValue } from '#domain/json/value';
import { type ApiProblem, invalidRequest } from '../problems/problem.ts';
import { scanJson } from './scan.ts';

/**
 * Reads a JSON body so that nothing in it changes on the way: what cannot be kept is refused by name. An empty body is
 * an empty object, since a body may be missing where all its fields are optional. A byte order mark is skipped.
 * @throws ApiProblem
 */
export function parseJsonBody(bytes: Uint8Array): JsonValue {
  const text = decode(bytes);
  if (text.trim() === '') return {};
  const value = parse(text);
  const problems = scanJson(text);
  if (problems.length > 0) throw invalidRequest(problems);
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw notJson('must be UTF-8');
  }
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw notJson(`must be JSON: ${error instanceof SyntaxError ? error.message : 'it could not be read'}`);
  }
}

function notJson(detail: string): ApiProblem {
  return invalidRequest([{ pointer: '', detail: detail.toWellFormed() }]);
}
