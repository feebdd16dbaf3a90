import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError, loadConfig } from '#runtime/config';

const KEY = 'a-key-of-16-chars';

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-config-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('without any variable everything has its documented default', () => {
  const { config, warnings } = loadConfig({ PATH: '/bin' });
  expect(warnings).toEqual([]);
  expect(isAbsolute(config.dataDir)).toBe(true);
  expect({ ...config, dataDir: config.dataDir.split('/').at(-1) }).toEqual({
    host: '127.0.0.1',
    port: 8080,
    opsPort: 9101,
    dataDir: '.holdfast',
    databaseUrl: null,
    roles: new Set(['api', 'projector', 'worker', 'scheduler']),
    handlers: null,
    queues: null,
    concurrency: 10,
    shutdownSeconds: 25,
    pollMs: 1000,
    sweepMs: 1000,
    adminKey: null,
    logLevel: 'info',
    schema: 'holdfast',
    streamPrefix: '',
    keyWindowSeconds: 86_400,
    httpAllow: [],
    url: 'http://127.0.0.1:8080',
    apiKey: null,
  });
});

test('every variable is read', () => {
  const { config } = loadConfig({
    HOLDFAST_HOST: '0.0.0.0',
    HOLDFAST_PORT: '0',
    HOLDFAST_OPS_PORT: '9',
    HOLDFAST_DATA_DIR: '/data',
    DATABASE_URL: 'postgres://u:p@db/x',
    HOLDFAST_ROLES: 'api, worker',
    HOLDFAST_HANDLERS: './handlers.ts',
    HOLDFAST_QUEUES: 'email,reports',
    HOLDFAST_CONCURRENCY: '3',
    HOLDFAST_SHUTDOWN_SECONDS: '1',
    HOLDFAST_POLL_MS: '50',
    HOLDFAST_SWEEP_MS: '60',
    HOLDFAST_ADMIN_KEY: KEY,
    HOLDFAST_LOG_LEVEL: 'debug',
    HOLDFAST_SCHEMA: 'Jobs of "us"',
    HOLDFAST_STREAM_PREFIX: 'eu-',
    HOLDFAST_KEY_WINDOW_SECONDS: '60',
    HOLDFAST_HTTP_ALLOW: 'intranet,10.0.0.7',
    HOLDFAST_URL: 'https://holdfast.example',
    HOLDFAST_API_KEY: 'k',
  });
  expect(config).toEqual({
    host: '0.0.0.0',
    port: 0,
    opsPort: 9,
    dataDir: '/data',
    databaseUrl: 'postgres://u:p@db/x',
    roles: new Set(['api', 'worker']),
    handlers: './handlers.ts',
    queues: ['email', 'reports'],
    concurrency: 3,
    shutdownSeconds: 1,
    pollMs: 50,
    sweepMs: 60,
    adminKey: KEY,
    logLevel: 'debug',
    schema: 'Jobs of "us"',
    streamPrefix: 'eu-',
    keyWindowSeconds: 60,
    httpAllow: ['intranet', '10.0.0.7'],
    url: 'https://holdfast.example',
    apiKey: 'k',
  });
});

describe('a bad value is an error that names its variable:', () => {
  test.each([
    ['HOLDFAST_PORT', '65536'],
    ['HOLDFAST_PORT', '80.5'],
    ['HOLDFAST_PORT', '-1'],
    ['HOLDFAST_PORT', '0x50'],
    ['HOLDFAST_CONCURRENCY', '0'],
    ['HOLDFAST_CONCURRENCY', 'ten'],
    ['HOLDFAST_POLL_MS', '1e3'],
    ['HOLDFAST_SHUTDOWN_SECONDS', 'Infinity'],
    ['HOLDFAST_ROLES', 'api,wroker'],
    ['HOLDFAST_QUEUES', 'Not OK'],
    ['HOLDFAST_QUEUES', 'a,,b'],
    ['HOLDFAST_ADMIN_KEY', 'fifteen-letters'],
    ['HOLDFAST_LOG_LEVEL', 'loud'],
    ['HOLDFAST_SCHEMA', 'public'],
    ['HOLDFAST_SCHEMA', 'pg_holdfast'],
    ['HOLDFAST_SCHEMA', 'ä'.repeat(32)],
    ['HOLDFAST_STREAM_PREFIX', 'a b'],
    ['HOLDFAST_URL', 'localhost:8080'],
    ['DATABASE_URL', 'mysql://u:secret@db/x'],
    ['DATABASE_URL', 'host=db password=secret'],
    ['EVENTSTORE_URL', 'esdb://es:2113'],
    ['KAFKA_BROKERS', 'kafka:9092'],
    ['HOLDFAST_DELIVERY', 'kafka'],
    ['HOLDFAST_KAFKA_PREFIX', 'x'],
    ['HOLDFAST_RATE_LIMIT', '100'],
    ['HOLDFAST_CORS_ORIGINS', '*'],
    ['HOLDFAST_TLS_CERT', '/cert'],
    ['HOLDFAST_TLS_KEY', '/key'],
  ])('%s=%s', (name, value) => {
    const problems = problemsOf({ [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name}: `));
  });
});

test('all problems are told at once, without a value', () => {
  const problems = problemsOf({
    HOLDFAST_PORT: 'secret-1',
    HOLDFAST_ADMIN_KEY: 'secret-2',
    DATABASE_URL: 'secret-3',
    KAFKA_BROKERS: 'secret-4',
  });
  expect(problems.map((problem) => problem.split(':')[0]).sort()).toEqual([
    'DATABASE_URL',
    'HOLDFAST_ADMIN_KEY',
    'HOLDFAST_PORT',
    'KAFKA_BROKERS',
  ]);
  expect(problems.join()).not.toContain('secret');
});

test.each(['0.0.0.0', '::', '192.168.1.4', 'holdfast.example', '127.0.0.1.example'])(
  'the API is not bound to %s without a key',
  (host) => {
    expect(problemsOf({ HOLDFAST_HOST: host })).toEqual([
      expect.stringMatching(/^HOLDFAST_HOST: .*HOLDFAST_ADMIN_KEY/),
    ]);
    expect(problemsOf({ HOLDFAST_HOST: host, HOLDFAST_ADMIN_KEY: KEY })).toEqual([]);
    expect(problemsOf({ HOLDFAST_HOST: host, HOLDFAST_ROLES: 'worker' })).toEqual([]);
  },
);

test.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('%s needs no key', (host) => {
  expect(problemsOf({ HOLDFAST_HOST: host })).toEqual([]);
});

test('a variable may come from a file, with one line end at its end', () => {
  const file = join(folder, 'key');
  writeFileSync(file, `${KEY}\n`);
  expect(loadConfig({ HOLDFAST_ADMIN_KEY_FILE: file }).config.adminKey).toBe(KEY);
  expect(problemsOf({ HOLDFAST_ADMIN_KEY_FILE: file, HOLDFAST_ADMIN_KEY: KEY })[0]).toContain('not both');
  expect(problemsOf({ HOLDFAST_ADMIN_KEY_FILE: join(folder, 'missing') })[0]).toMatch(
    /^HOLDFAST_ADMIN_KEY_FILE: .*ENOENT/,
  );
});

test('an empty variable counts as unset', () => {
  expect(loadConfig({ HOLDFAST_PORT: '', DATABASE_URL: '', KAFKA_BROKERS: '' }).config.port).toBe(8080);
});

test('an unknown name of ours is a warning with the nearest known one', () => {
  const { warnings } = loadConfig({ HOLDFAST_CONCURENCY: '5', HOLDFAST_XYZZY_PLUGH_FROTZ: '1', OTHER: '1' });
  expect(warnings).toEqual([
    'HOLDFAST_CONCURENCY is not known; did you mean HOLDFAST_CONCURRENCY?',
    'HOLDFAST_XYZZY_PLUGH_FROTZ is not known',
  ]);
});
