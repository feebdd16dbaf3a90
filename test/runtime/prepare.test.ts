import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const PREPARE = fileURLToPath(new URL('../../bin/prepare.cjs', import.meta.url));
const HERE = { os: [process.platform], cpu: [process.arch] };
const ELSEWHERE = { os: ['plan9'], cpu: ['vax'] };

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'holdfast-prepare-'));
  mkdirSync(join(project, 'bin'));
  mkdirSync(join(project, 'node_modules'));
  copyFileSync(PREPARE, join(project, 'bin', 'prepare.cjs'));
  // Stands where npm would: notes how it was called and succeeds.
  writeFileSync(join(project, 'npm.cjs'), `require('fs').writeFileSync('called', process.argv.slice(2).join(' '))`);
});
afterEach(() => rmSync(project, { recursive: true }));

const lock = (packages: object) => JSON.stringify({ packages: { '': {}, ...packages } });
const write = (file: string, packages: object) => writeFileSync(join(project, file), lock(packages));

/** How npm was called, or `null` when there was nothing to do. */
function prepare(): string | null {
  const env = { ...process.env, npm_execpath: join(project, 'npm.cjs') };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(project, 'bin', 'prepare.cjs')], {
    env,
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  expect(stdout).toBe('');
  try {
    return readFileSync(join(project, 'called'), 'utf8');
  } catch {
    expect(stderr).toBe('');
    return null;
  }
}

const A = { version: '1.0.0', integrity: 'sha512-a' };

test('nothing happens, and nothing is said, when everything is there', () => {
  const packages = { 'node_modules/a': A, 'node_modules/b': { ...A, optional: true, ...HERE } };
  write('package-lock.json', {
    ...packages,
    'node_modules/c': { ...A, optional: true, ...ELSEWHERE },
    'node_modules/d': { ...A, optional: true },
  });
  write('node_modules/.package-lock.json', packages);
  expect(prepare()).toBeNull();
});

test('a clone without node_modules is installed, with the packages that checks and the embedded server need', () => {
  write('package-lock.json', { 'node_modules/a': A });
  expect(prepare()).toMatch(/^ci --include=dev --include=optional/);
});

test.each([
  ['another version', { 'node_modules/a': { ...A, version: '1.0.1' } }],
  ['another content', { 'node_modules/a': { ...A, integrity: 'sha512-b' } }],
  ['a package less', {}],
])('what was installed from an older lock, with %s, is installed anew', (_, installed) => {
  write('package-lock.json', { 'node_modules/a': A });
  write('node_modules/.package-lock.json', installed);
  expect(prepare()).not.toBeNull();
});

test('a package for this very platform is missed although it is optional', () => {
  write('package-lock.json', { 'node_modules/a': { ...A, optional: true, ...HERE } });
  write('node_modules/.package-lock.json', {});
  expect(prepare()).not.toBeNull();
});
