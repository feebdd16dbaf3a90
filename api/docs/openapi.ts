import fastifySwagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { App } from '../http/app-type.ts';
import { answers } from '../schemas/problem.ts';

const DESCRIPTION = `Jobs whose every transition is an event in a log. At-least-once delivery; at most one accepted outcome per claim; a
fencing token with every attempt, for effects in systems that can check it.

Errors are RFC 9457 problems with a stable \`code\` that name every wrong field. Query strings are \`name=value\` pairs; a
parameter is repeated where it says so; numbers are digits; unknown names are refused. Every answer has a \`Request-Id\`.
Commands and reads carry \`Holdfast-Position\`; hand it on as \`min_position\` to read what you wrote.`;

/** Describes every route that is registered after it. */
export function registerOpenApi(app: FastifyInstance, version: string): void {
  app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Holdfast', version, description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: '/' }],
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      security: [{ key: [] }],
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
}

export function openApiRoute(app: App): void {
  app.route({
    method: 'GET',
    url: '/openapi.json',
    schema: {
      operationId: 'getOpenApi',
      tags: ['docs'],
      summary: 'This description, OpenAPI 3.1',
      security: [],
      response: answers({}),
    },
    handler: (_request, reply) => reply.type('application/json; charset=utf-8').send(JSON.stringify(app.swagger())),
  });
}
