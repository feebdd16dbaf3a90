import { createHash } from 'node:crypto';
import apiReference from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';

const INLINE_SCRIPT = /<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g;

/**
 * The API reference at `/docs/`, all of it served from here. Its page has one inline script, which the content security
 * policy admits by its hash; styles it makes at run time need `unsafe-inline` on this page alone.
 */
export function registerReference(app: FastifyInstance): void {
  app.register(async (scope) => {
    scope.addHook('onSend', async (_request, reply, payload) => {
      if (typeof payload !== 'string' || !String(reply.getHeader('content-type')).startsWith('text/html')) return;
      const scripts = [...payload.matchAll(INLINE_SCRIPT)].map(([, script = '']) => `'sha256-${sha256(script)}'`);
      reply.header('Content-Security-Policy', policy(scripts));
    });
    await scope.register(apiReference, {
      routePrefix: '/docs',
      configuration: {
        url: '/openapi.json',
        pageTitle: 'Holdfast API',
        telemetry: false,
        withDefaultFonts: false,
        hideClientButton: true,
        showDeveloperTools: 'never',
        agent: { disabled: true },
        mcp: { disabled: true },
      },
    });
  });
}

function policy(scripts: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${scripts.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join(';');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
