import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { ApiProblem } from '../problems/problem.ts';
import { isLoopbackHost } from './loopback.ts';

/** Answers who asks, or refuses the request. @returns The actor: `key:<id>` or `anonymous`. */
export type Authenticate = (request: FastifyRequest) => string;

const HEALTH = new Set(['/healthz', '/readyz']);
const OPEN = new Set(['/', '/version', '/openapi.json', '/docs']);

/**
 * With a key every call but health and what holds no data needs it. Without one the server listens on loopback only, and
 * what is left to fear is a web page in a browser on this machine: it can send requests here, but not hide where it comes
 * from (`Origin`), and a name that was pointed at 127.0.0.1 shows in `Host`.
 */
export function createAuth(adminKey: string | null): Authenticate {
  if (adminKey === null) return refuseForeignPages;
  const admin = sha256(adminKey);
  return (request) => {
    const key = bearerToken(request.headers.authorization);
    if (key !== undefined && timingSafeEqual(sha256(key), admin)) return 'key:admin';
    if (isOpen(pathOf(request))) return 'anonymous';
    throw new ApiProblem(
      'unauthorized',
      key === undefined ? 'Send Authorization: Bearer <key>.' : 'The key is not known here.',
      {
        headers: { 'WWW-Authenticate': 'Bearer' },
        errors: [{ header: 'Authorization', detail: 'must be Bearer <key>' }],
      },
    );
  };
}

function isOpen(path: string): boolean {
  return HEALTH.has(path) || OPEN.has(path) || path.startsWith('/docs/');
}

function refuseForeignPages(request: FastifyRequest): string {
  const { host = '', origin } = request.headers;
  if (HEALTH.has(pathOf(request))) return 'anonymous';
  if (!isLoopbackHost(host)) throw forbidden('Host', 'must be a loopback name or address while no key is set');
  if (origin !== undefined && origin !== `http://${host}`) {
    throw forbidden('Origin', "must be the server's own while no key is set");
  }
  return 'anonymous';
}

function forbidden(header: string, detail: string): ApiProblem {
  return new ApiProblem('forbidden', 'The request may come from a foreign web page.', { errors: [{ header, detail }] });
}

function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(header ?? '')?.[1];
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] as string;
}

/** Digests have one length, so the comparison tells nothing about the key's. */
function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
