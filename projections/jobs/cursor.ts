import { createHash } from 'node:crypto';
import { JOB_ID_PATTERN } from '#domain/job/identity';

/** Where a page ended: the value it was sorted by, in epoch milliseconds, and the job's id, which breaks ties. */
export interface PageEnd {
  readonly key: number;
  readonly id: string;
}

/** A text that this program did not make as a cursor, or made for other filters or another order. */
export class BadCursor extends Error {
  override readonly name = 'BadCursor';
}

const VERSION = 1;

/** @param scope - Text of everything that the walk is bound to. */
export function encodeCursor(end: PageEnd, scope: string): string {
  return Buffer.from(JSON.stringify([VERSION, end.key, end.id, digest(end, scope)])).toString('base64url');
}

/** @throws BadCursor */
export function decodeCursor(cursor: string, scope: string): PageEnd {
  const end = parse(cursor);
  if (end === undefined) throw new BadCursor('The cursor is none that this server made');
  // Also catches texts that decode to the same bytes.
  if (encodeCursor(end, scope) !== cursor)
    throw new BadCursor('The cursor was changed, or made for other filters or another order');
  return end;
}

function parse(cursor: string): PageEnd | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (!Array.isArray(parts) || parts.length !== 4 || parts[0] !== VERSION) return undefined;
    const [, key, id] = parts as unknown[];
    if (!Number.isSafeInteger(key) || typeof id !== 'string' || !JOB_ID_PATTERN.test(id)) return undefined;
    return { key: key as number, id };
  } catch {
    return undefined;
  }
}

function digest({ key, id }: PageEnd, scope: string): string {
  return createHash('sha256').update(`${VERSION} ${key} ${id} ${scope}`).digest('base64url').slice(0, 16);
}
