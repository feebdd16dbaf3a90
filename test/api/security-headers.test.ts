import { afterAll, beforeAll, expect, it } from 'vitest';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig({ projector: false });
});
afterAll(() => rig.close());

const EXPECTED = {
  'content-security-policy':
    "default-src 'none';style-src 'self';script-src 'self';img-src 'self' data:;connect-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};

it.each([
  ['a page', 'GET', '/', undefined, 200],
  ['a job', 'POST', '/v1/jobs', { type: 'noop' }, 202],
  ['a refused body', 'POST', '/v1/jobs', 'x', 400],
  ['a path that is not there', 'GET', '/nope', undefined, 404],
  ['a method that a path lacks', 'DELETE', '/v1/jobs', undefined, 405],
])('the answer with %s lets no browser load, frame or guess anything', async (_, method, path, body, status) => {
  const { headers } = await rig.expectStatus(status, method, path, body);
  expect(Object.fromEntries(headers)).toMatchObject(EXPECTED);
});
