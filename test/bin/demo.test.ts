import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createScratch } from '../support/scratch.ts';
import { ROOT, withoutOurs } from './server-process.ts';

test('Ctrl-C in the middle of the demo leaves no process and no data behind', async () => {
  const scratch = createScratch('interrupted');
  const demo = spawn(process.execPath, ['bin/demo.ts', '--files', '2000'], {
    cwd: ROOT,
    env: { ...withoutOurs(), TMPDIR: scratch },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exit = once(demo, 'exit');
  await untilSays(demo.stderr, /kill -9/);
  expect(processesOf(scratch).length).toBeGreaterThan(3);
  demo.kill('SIGINT');
  expect(await exit).toEqual([130, null]);
  expect(processesOf(scratch)).toEqual([]);
  // Node keeps compiled code for later in the same folder.
  expect(readdirSync(scratch).filter((name) => name !== 'node-compile-cache')).toEqual([]);
}, 240_000);

async function untilSays(stream: NodeJS.ReadableStream, pattern: RegExp): Promise<void> {
  let text = '';
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  stream.on('data', (chunk) => {
    text += chunk;
    if (pattern.test(text)) resolve();
  });
  stream.on('end', () => reject(new Error(`it ended without saying ${pattern}: ${text}`)));
  await promise;
}

/** Everything that the demo starts knows its folder, by its environment or its command line. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return ['environ', 'cmdline'].some((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(folder));
    } catch {
      return false;
    }
  });
}
