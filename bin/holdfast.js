#!/usr/bin/env node
// The command `holdfast`. Plain JavaScript, since an older Node stops at the first line of TypeScript.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const OLDEST = [22, 18];
// As in the scripts of package.json: no slower under full load (measured), and a hundred megabytes less.
const SMALL_NURSERY = '--max-semi-space-size=4';
const [major, minor] = process.versions.node.split('.').map(Number);
const ownNode = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));

if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) {
  // Most of the time a short command takes is spent on reading TypeScript; Node keeps what it made of it.
  module.enableCompileCache?.();
  const { run } = await import('./cli.ts');
  await run(process.argv);
} else if (existsSync(ownNode)) {
  handOver();
} else {
  process.stderr.write(`holdfast needs Node ${OLDEST.join('.')} or later; this is ${process.versions.node}\n`);
  process.exit(1);
}

/** Node cannot replace itself by another program, so this process stays and passes signals and the status on. */
function handOver() {
  const child = spawn(ownNode, [SMALL_NURSERY, ...process.argv.slice(1)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'])
    process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`holdfast: ${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)));
}
