import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROBLEMS } from '#api/problems/codes';
import { openRig, type Rig } from './rig.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema: object }[];
  readonly requestBody?: { content: Record<string, { schema: object }> };
  readonly responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

let rig: Rig;
// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is looked into by hand
let document: any;
beforeAll(async () => {
  rig = await openRig();
  document = (await rig.expectStatus(200, 'GET', '/openapi.json')).body;
});
afterAll(() => rig?.close());

const operations = (): [string, string, Operation][] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as object).map(([method, operation]): [string, string, Operation] => [method, path, operation]),
  );

const ROUTES = `
get / getHome
get /healthz getHealth
get /readyz getReadiness
get /version getVersion
get /metrics getMetrics
get /openapi.json getOpenApi
get /docs/errors/{code} getErrorPage
post /v1/jobs submitJob
get /v1/jobs listJobs
post /v1/jobs/bulk submitJobs
get /v1/jobs/{id} getJob
patch /v1/jobs/{id} rescheduleJob
get /v1/jobs/{id}/events listJobEvents
get /v1/jobs/{id}/explain explainJob
post /v1/jobs/{id}/cancel cancelJob
post /v1/jobs/{id}/replay replayJob
post /v1/jobs/{id}/acknowledge acknowledgeJob
post /v1/jobs/{id}/heartbeat heartbeatJob
post /v1/jobs/{id}/complete completeJob
post /v1/jobs/{id}/fail failJob
post /v1/jobs/{id}/release releaseJob
post /v1/leases leaseJobs
post /v1/leases/outcomes reportOutcomes
get /v1/events listEvents
get /v1/queues listQueues
get /v1/queues/{name} getQueue
get /v1/workers listWorkers
get /v1/projections listProjections`;

test('lists every route, each under a name of its own', () => {
  expect(document.openapi).toBe('3.1.0');
  const listed = operations()
    .map(([method, path, { operationId }]) => `${method} ${path} ${operationId}`)
    .filter((line) => !line.startsWith('head '));
  expect(listed.sort()).toEqual(ROUTES.trim().split('\n').sort());
});

test('has schemas that are JSON Schema 2020-12, with every reference resolved', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'https://holdfast.test/', ...document });
  const schemas: object[] = Object.values(document.components.schemas);
  for (const [, , { parameters = [], requestBody, responses }] of operations()) {
    schemas.push(...parameters.map(({ schema }) => schema));
    for (const { content = {} } of [requestBody ?? {}, ...Object.values(responses)]) {
      schemas.push(...Object.values(content).map(({ schema }) => schema));
    }
  }
  expect(schemas.length).toBeGreaterThan(100);
  for (const schema of schemas) {
    expect(ajv.validateSchema(schema)).toBe(true);
    for (const [, name] of JSON.stringify(schema).matchAll(/"\$ref":"([^"]*)"/g)) {
      const target = /^#\/components\/schemas\/(\w+)$/.exec(name as string)?.[1];
      expect(document.components.schemas).toHaveProperty(target as string);
    }
  }
});

test('describes the parameters of every path, and the problems of every call', () => {
  for (const [, path, { parameters = [], responses, summary }] of operations()) {
    const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
    expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    expect(summary).toBeTruthy();
    for (const status of ['400', '401', '403', '503']) expect(responses).toHaveProperty(status);
  }
});

test('what a real job looks like is what the document says', async () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'https://holdfast.test/', ...document });
  const check = (name: string, value: unknown) => {
    const validate = ajv.getSchema(`https://holdfast.test/#/components/schemas/${name}`);
    validate?.(value);
    expect(validate?.errors ?? (validate ? null : 'no schema')).toBeNull();
  };
  const { body: job } = await rig.expectStatus(202, 'POST', '/v1/jobs', { payload: { a: 1 }, tags: ['x'] });
  check('Job', job);
  const { body: leased } = await rig.expectStatus(200, 'POST', '/v1/leases', { worker_id: 'w1' });
  check('Job', leased.leases[0].job);
  const fail = { fencing_token: 1, error: { message: 'm' }, retryable: false };
  check('Job', (await rig.expectStatus(200, 'POST', `/v1/jobs/${job.id}/fail`, fail)).body);
  const { body: events } = await rig.call('GET', `/v1/jobs/${job.id}/events`);
  for (const event of events.data) check('Event', event);
  for (const event of (await rig.call('GET', '/v1/events')).body.data) check('CloudEvent', event);
  check('Explanation', (await rig.call('GET', `/v1/jobs/${job.id}/explain`)).body);
  check('Problem', (await rig.call('GET', '/v1/nope')).body);
});

test('every problem code has a page that its type points to, without scripts', async () => {
  for (const [code, { status, title }] of Object.entries(PROBLEMS)) {
    const { body, headers } = await rig.expectStatus(200, 'GET', `/docs/errors/${code}`);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(body).toContain(`<code>${code}</code>`);
    expect(body).toContain(`<strong>${status}</strong> ${title}`);
    expect(body).not.toContain('<script');
    expect(body.match(/<p>/g).length).toBeGreaterThanOrEqual(3);
  }
});

test('the reference is served from here alone, under a policy that admits nothing else', async () => {
  const { body, headers } = await rig.expectStatus(200, 'GET', '/docs/');
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/script-src 'self' 'sha256-[^']+'/);
  expect(policy).not.toMatch(/script-src[^;]*unsafe/);
  expect(body).not.toMatch(/(?:src|href)="https?:/);
  expect(body).toContain('/openapi.json');
  const script = /<script[^>]*src="([^"]+)"/.exec(body)?.[1] as string;
  const { status } = await rig.call('GET', new URL(script, `${rig.url}/docs/`).pathname);
  expect(status).toBe(200);
  expect((await rig.call('GET', '/docs')).status).toBe(200);
});

test('the front page names where things are', async () => {
  const { body, headers } = await rig.expectStatus(200, 'GET', '/');
  for (const path of ['/docs/', '/v1/jobs', '/readyz', '/metrics']) expect(body).toContain(`href="${path}"`);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.get('strict-transport-security')).toBeNull();
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});
