import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('./fixtures/logging-program.ts', import.meta.url));

test('logs are JSON lines on stderr, without a secret in them, and stdout stays clean', () => {
  const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM], { encoding: 'utf8' });
  expect(stdout).toBe('ready\n');
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ msg, name }) => `${name}: ${msg}`)).toEqual([
    'program: settings',
    'program: request',
    'program: failed',
  ]);
  expect(lines[0]).toMatchObject({ config: { port: 8080, adminKey: '[redacted]', databaseUrl: '[redacted]' } });
  expect(lines[1]).toMatchObject({ req: { headers: { authorization: '[redacted]' } } });
  expect(lines[2].err.message).toBe('cannot reach postgres://user:***@db/x');
  expect(stderr).not.toContain('hush');
});
