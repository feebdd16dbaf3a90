import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT, type Running, startServing } from '../bin/server-process.ts';
import { createScratch } from '../support/scratch.ts';
import { type Block, blocksOf } from './blocks.ts';
import { shell } from './shell.ts';

const blocks = blocksOf('README.md').filter(({ language }) => language !== 'mermaid');
/** What follows runs these; a block that is not among them would be one that nobody runs. */
const RUN = ['start', 'noop', 'handlers.ts', 'start-handlers', 'curl', 'cli', 'submit.ts', 'demo'];

let port: number;
let env: Record<string, string>;
/** In the clone, as the README says, but not in its root. Git ignores it. */
let folder: string;

beforeAll(async () => {
  port = await freePort();
  env = { HOLDFAST_PORT: String(port), HOLDFAST_DATA_DIR: createScratch('readme') };
  mkdirSync(join(ROOT, '.holdfast'), { recursive: true });
  folder = mkdtempSync(join(ROOT, '.holdfast', 'readme-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('every code block of the README is run, and every output belongs to one', () => {
  const named = (wanted: (block: Block) => boolean) => blocks.filter(wanted).map(({ name }) => name);
  expect(named(({ key }) => key !== 'output').sort()).toEqual([...RUN].sort());
  expect(RUN).toEqual(expect.arrayContaining(named(({ key }) => key === 'output')));
});

describe('the first steps', () => {
  let server: Running;
  beforeAll(async () => {
    server = await startServing(['bash', '-c', textOf('start')], env);
  }, 120_000);
  afterAll(() => server?.stop());

  test('`npm start` ends its output with the line that is shown', () => {
    expect(server.lines.at(-1)).toBe(textOf('start', 'output').trim());
  });

  test('a job that does nothing has the history that is shown', async () => {
    expect(await shell(textOf('noop'), env)).toMatchObject({ exitCode: 0, stdout: textOf('noop', 'output') });
  });
}, 120_000);

describe('a handler of one’s own', () => {
  let server: Running;
  beforeAll(async () => {
    for (const name of ['handlers.ts', 'submit.ts']) writeFileSync(join(folder, name), textOf(name));
    const start = textOf('start-handlers').replace('handlers.ts', join(folder, 'handlers.ts'));
    server = await startServing(['bash', '-c', start], env);
  }, 120_000);
  afterAll(() => server?.stop());

  test('takes a job from curl, once for one key', async () => {
    const first = JSON.parse((await shell(textOf('curl'), env)).stdout);
    expect(first).toMatchObject({ type: 'words.count', idempotency_key: 'words-of-readme' });
    expect(JSON.parse((await shell(textOf('curl'), env)).stdout).id).toBe(first.id);
    const { stdout } = await shell(`npx holdfast jobs wait ${first.id} --json`, env);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'succeeded', result: { words: expect.any(Number) } });
  });

  test('takes a job from the command line', async () => {
    expect(await shell(textOf('cli'), env)).toMatchObject({ exitCode: 0, stdout: textOf('cli', 'output') });
  });

  test('takes a job from TypeScript', async () => {
    const { exitCode, stdout, stderr } = await shell(`npx node ${join(folder, 'submit.ts')}`, env);
    expect(stderr).toBe('');
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: textOf('submit.ts', 'output') });
  });
}, 120_000);

test('the demo proves what is shown, if with other numbers', async () => {
  const scratch = createScratch('demo');
  const { exitCode, stdout, stderr } = await shell(`${textOf('demo').trim()} -- --files 300`, { TMPDIR: scratch });
  expect(exitCode, stderr).toBe(0);
  const shown = withoutNumbers(textOf('demo', 'output'));
  expect(withoutNumbers(stdout.replaceAll(/^ {2}(not compared|other starts).*\n/gm, ''))).toContain(shown);
}, 240_000);

/** A block's text, on the test's port. */
function textOf(name: string, key?: 'output'): string {
  const block = blocks.find((one) => one.name === name && (one.key === 'output') === (key === 'output'));
  if (block === undefined) throw new Error(`the README has no block ${key ?? ''} ${name}`);
  return block.text.replaceAll(':8080', `:${port}`);
}

function withoutNumbers(text: string): string {
  return text.replaceAll(/\d[\d,.]*/g, 'N');
}

async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const address = probe.address();
    probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
  });
  return await promise;
}
