import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const SANE = /^[\x21-\x7e]{1,128}$/;

/** The id a client gave its request, if it can be written into logs and headers as it stands; else a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['request-id'];
  return typeof given === 'string' && SANE.test(given) ? given : randomUUID();
}
