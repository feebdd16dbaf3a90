import { z } from 'zod';
import type { JsonValue } from '#domain/json/value';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
/** What belongs to the connection, or would let a payload pose as another host. */
const OWN_HEADERS = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade', 'te', 'trailer']);
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
/** Visible ASCII, space and tab. */
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

const headers = z
  .record(
    z.string().regex(HEADER_NAME, 'is not a header name'),
    z.string().regex(HEADER_VALUE, 'may have visible ASCII characters only'),
  )
  .superRefine((given, context) => {
    for (const name of Object.keys(given)) {
      if (OWN_HEADERS.has(name.toLowerCase())) {
        context.addIssue({ code: 'custom', path: [name], message: 'is set by the connection itself' });
      }
    }
  });

const url = z.string().superRefine((text, context) => {
  const parsed = URL.parse(text);
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) {
    context.addIssue({ code: 'custom', message: 'must be an absolute http or https URL' });
  } else if (parsed.username || parsed.password) {
    context.addIssue({ code: 'custom', message: 'must not hold credentials; use the authorization header' });
  }
});

/** The payload of an `http` job. */
export const httpInput = z.strictObject({
  method: z.enum(METHODS).optional(),
  url,
  headers: headers.optional(),
  /** Text is sent as it stands, anything else as JSON. */
  body: z.custom<JsonValue>().optional(),
  /** For the whole exchange, redirects and the answer's body included. Default 30. */
  timeout_seconds: z.number().positive().max(3600).optional(),
});

export type HttpInput = z.output<typeof httpInput>;
export type HttpMethod = (typeof METHODS)[number];
