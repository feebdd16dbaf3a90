import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AddressGuard } from './address-guard.ts';
import type { HttpMethod } from './http-input.ts';

/** What is kept of an answer's body. */
export const MAX_BODY_BYTES = 64 * 1024;

export interface HttpCall {
  readonly method: HttpMethod;
  readonly url: URL;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The beginning, as UTF-8; what cannot be read as such is replaced. */
  readonly body: string;
  /** More came than was kept. */
  readonly truncated: boolean;
}

/** One request and its answer, redirects not followed. Every address is judged by the guard when it is connected to. */
export async function exchange(call: HttpCall, guard: AddressGuard, signal: AbortSignal): Promise<HttpAnswer> {
  guard.checkHost(call.url.hostname);
  const response = await send(call, guard, signal);
  const { bytes, truncated } = await readBody(response);
  // NUL cannot be stored; it is as good as unreadable.
  const body = new TextDecoder().decode(bytes).replaceAll('\u0000', '\ufffd');
  return { status: response.statusCode ?? 0, headers: response.headers, body, truncated };
}

function send(
  { method, url, headers, body }: HttpCall,
  guard: AddressGuard,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // No agent: a kept connection would belong to an address that was judged under another name's permission.
  const sent = request(
    url,
    { method, headers: withLength(headers, body), lookup: guard.lookup, agent: false, signal },
    resolve,
  );
  sent.on('error', reject);
  sent.end(body ?? undefined);
  return promise;
}

function withLength(headers: HttpCall['headers'], body: string | null): Record<string, string> {
  return body === null ? { ...headers } : { ...headers, 'content-length': String(Buffer.byteLength(body)) };
}

async function readBody(response: IncomingMessage): Promise<{ bytes: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop ends the connection, so an endless answer costs no more than this.
    if (size > MAX_BODY_BYTES) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES), truncated: size > MAX_BODY_BYTES };
}
