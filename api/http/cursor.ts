import { createHash } from 'node:crypto';
import { invalidRequest } from '../problems/problem.ts';

/**
 * Where the next page of a list begins, as an opaque text. A digest binds it to the list (`scope`) and shows when somebody
 * changed it.
 */
export function encodeCursor(scope: string, place: string): string {
  return Buffer.from(`${digest(scope, place)}.${place}`).toString('base64url');
}

/** The place a cursor names. @throws ApiProblem when it is none of this list's. */
export function decodeCursor(scope: string, cursor: string): string {
  const [, given, place] = /^([^.]+)\.(.*)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (place !== undefined && given === digest(scope, place) && cursor === encodeCursor(scope, place)) return place;
  throw invalidRequest([{ parameter: 'cursor', detail: 'must be a cursor of this list' }]);
}

function digest(scope: string, place: string): string {
  return createHash('sha256').update(`1/${scope}/${place}`).digest('base64url').slice(0, 16);
}
