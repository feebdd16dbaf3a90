'use strict';
// Runs before `npm start`, `npm test` and their like, on whatever Node the machine has (18 or later): installs what the
// lock file names when it is not there yet, so that a fresh clone needs one command. Silent when there is nothing to do.
const { spawnSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const OLDEST = 18;

/** npm writes what it installed into node_modules/.package-lock.json; whatever the lock has and that lacks is missing. */
function isInstalled() {
  const wanted = packagesOf(join(root, 'package-lock.json'));
  const present = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  if (wanted === null || present === null) return false;
  return Object.entries(wanted).every(([path, entry]) => path === '' || isSatisfied(entry, present[path]));
}

/** Optional packages of other platforms are in the lock and never installed, nor is what only those need. */
function isSatisfied(wanted, present) {
  if (present !== undefined) return present.version === wanted.version && present.integrity === wanted.integrity;
  const namesPlatform = wanted.os !== undefined || wanted.cpu !== undefined;
  return wanted.optional === true && !(namesPlatform && isForThisPlatform(wanted));
}

function isForThisPlatform({ os, cpu, libc }) {
  const matches = (list, value) => list === undefined || list.includes(value);
  return matches(os, process.platform) && matches(cpu, process.arch) && matches(libc, libcName());
}

function libcName() {
  if (process.platform !== 'linux') return undefined;
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
}

function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return null;
  }
}

function install() {
  process.stderr.write('Installing dependencies (once, about a minute) ...\n');
  // With NODE_ENV=production npm would leave out what the checks and the tests need.
  const args = ['ci', '--include=dev', '--include=optional', '--no-progress'];
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath, ...args] : ['npm', ...args];
  const { status } = spawnSync(npm[0], npm.slice(1), { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) fail('npm ci failed, see above');
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const major = Number(process.versions.node.split('.')[0]);
if (major < OLDEST) fail(`Holdfast needs Node ${OLDEST} or later to install itself; this is ${process.versions.node}`);
if (!isInstalled()) install();
