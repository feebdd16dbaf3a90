import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defineJob } from '#workers/define-job';
import { HandlersError, loadHandlers } from '#workers/handlers';

const DEFINE_JOB = fileURLToPath(new URL('../../workers/define-job.ts', import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'handlers-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function handlerModule(name: string, body: string): Promise<string> {
  await writeFile(join(folder, name), `import { defineJob } from ${JSON.stringify(DEFINE_JOB)};\n${body}`);
  return name;
}

test('every export that defineJob made is a handler, in a list or by itself', async () => {
  const name = await handlerModule(
    'good.mjs',
    `export const a = defineJob({ type: 'a', run: () => 1 });
     export const other = 5;
     export default [a, defineJob({ type: 'b', run: () => 2 })];`,
  );
  expect((await loadHandlers(name, folder)).map(({ type }) => type).sort()).toEqual(['a', 'b']);
});

test.each([
  ['missing.mjs', null, /cannot be loaded/],
  ['empty.mjs', 'export const x = 1;', /exports no job/],
  ['throwing.mjs', `throw new Error('no luck');`, /cannot be loaded: no luck/],
  [
    'twice.mjs',
    `export const a = defineJob({ type: 'same', run: () => 1 }); export const b = defineJob({ type: 'same', run: () => 2 });`,
    /defines the type same twice/,
  ],
])('%s is refused, saying why', async (name, body, message) => {
  if (body !== null) await handlerModule(name, body);
  const loading = loadHandlers(name, folder);
  await expect(loading).rejects.toBeInstanceOf(HandlersError);
  await expect(loading).rejects.toThrow(message);
});

test.each([
  [{ type: 'has space' }],
  [{ type: 'x', priority: 1000 }],
  [{ type: 'x', leaseSeconds: 1 }],
  [{ type: 'x', retry: { strategy: 'fixed', delaySeconds: -1 } }],
  [{ type: 'x', unknown: true }],
])('defineJob refuses %o', (options) => {
  expect(() => defineJob({ ...options, run: () => 1 } as never)).toThrow(TypeError);
});
