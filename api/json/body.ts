import type { FieldProblem, JsonValue } from '#domain/json/value';
import { type ApiProblem, invalidRequest } from '../problems/problem.ts';
import { scanJson } from './scan.ts';

export interface JsonBody {
  readonly value: JsonValue;
  /** What changed on the way from text to value, so that it must not be used. */
  readonly problems: readonly FieldProblem[];
}

/**
 * Reads a JSON body so that nothing in it changes on the way: what cannot be kept is named. An empty body is an empty
 * object, since a body may be missing where all its fields are optional. A byte order mark is skipped.
 * @param most - No more problems than these are looked for.
 * @throws ApiProblem when the bytes are no JSON text at all.
 */
export function parseJsonBody(bytes: Uint8Array, most?: number): JsonBody {
  const text = decode(bytes);
  if (text.trim() === '') return { value: {}, problems: [] };
  return { value: parse(text), problems: scanJson(text, most) };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
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
