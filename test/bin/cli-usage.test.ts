import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exitCodeOfStatus } from '#bin/cli/exit-codes';
import { readJsonObject } from '#bin/cli/json-argument';
import { printable } from '#bin/cli/printable';
import { alignedTable, type Column, tabSeparated } from '#bin/cli/table';
import { holdfast } from './terminal.ts';

describe('the command line', () => {
  test('shows its commands, and the exit codes, when asked for help', async () => {
    const { exitCode, stdout } = await holdfast(['--help']);
    expect(exitCode).toBe(0);
    for (const command of ['server', 'worker', 'migrate', 'jobs', 'queues', 'projections', 'events', 'doctor']) {
      expect(stdout).toMatch(new RegExp(`^ {2}${command}`, 'm'));
    }
    expect(stdout).toMatch(/^ {2} {2}6 {2}server or database cannot be reached/m);
  });

  test.each([
    [['frobnicate'], 'unknown command'],
    [['jobs', 'submit', '--colour', 'red'], 'unknown option'],
    [['jobs', 'get'], "missing required argument 'id'"],
    [['jobs', 'list', '--limit', '0'], 'whole number from 1'],
    [['jobs', 'submit', '--delay', 'soon'], 'number of seconds'],
    [['--json', '--quiet', 'jobs', 'list'], 'cannot be used with'],
    [['jobs', 'list', '--url', 'localhost:8080'], 'http://'],
  ])('refuses %j with exit code 2', async (argv, message) => {
    const { exitCode, stdout, stderr } = await holdfast(argv);
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
  });

  test('ends with exit code 2 when no command is given', async () => {
    expect((await holdfast([])).exitCode).toBe(2);
    expect((await holdfast(['jobs'])).exitCode).toBe(2);
  });

  test('names every bad variable of the environment and none of their values', async () => {
    const env = { HOLDFAST_PORT: 'eighty', HOLDFAST_ADMIN_KEY: 'secret', HOLDFAST_ROLES: 'cook' };
    const { exitCode, stderr } = await holdfast(['version'], { env });
    expect(exitCode).toBe(2);
    for (const name of Object.keys(env)) expect(stderr).toContain(name);
    for (const value of Object.values(env)) expect(stderr).not.toContain(value);
  });

  test('says where it looked, and how to start one, when no server answers', async () => {
    const { exitCode, stderr } = await holdfast(['jobs', 'cancel', 'x', '--url', 'http://127.0.0.1:9']);
    expect(exitCode).toBe(6);
    expect(stderr).toContain('npm start');
  });

  test('tells its version in the format that was asked for', async () => {
    expect((await holdfast(['version', '--json'])).stdout).toMatch(/^\{"holdfast":"[\d.]+","node":"[\d.]+"\}\n$/);
    expect((await holdfast(['version', '--quiet'])).stdout).toMatch(/^[\d.]+\n$/);
    expect((await holdfast(['version'])).stdout).toMatch(/^holdfast\t[\d.]+\nnode\t[\d.]+\n$/);
  });
});

describe('exit codes', () => {
  test.each([
    [400, 2],
    [401, 5],
    [403, 5],
    [404, 3],
    [409, 4],
    [410, 3],
    [412, 4],
    [413, 2],
    [429, 6],
    [500, 1],
    [503, 6],
  ])('HTTP %i becomes %i', (status, exitCode) => {
    expect(exitCodeOfStatus(status)).toBe(exitCode);
  });
});

describe('tables', () => {
  const columns: Column<{ name: string; count: number | null }>[] = [
    { title: 'NAME', value: (row) => row.name },
    { title: 'COUNT', value: (row) => row.count, align: 'right' },
  ];
  const rows = [
    { name: 'a', count: 12_345_678 },
    { name: 'much longer', count: null },
  ];

  test('align their columns for people', () => {
    expect(alignedTable(columns, rows, false)).toBe(
      ['NAME            COUNT', 'a            12345678', 'much longer', ''].join('\n'),
    );
  });

  test('are tab-separated lines without titles in a pipe', () => {
    expect(tabSeparated(columns, rows)).toBe('a\t12345678\nmuch longer\t\n');
  });

  test('spell out what would break a line in two or steer the terminal', () => {
    expect(printable('a\tb\nc\u001b[31mred\u009b2J')).toBe('a\\tb\\nc\\u001b[31mred\\u009b2J');
    expect(printable({ a: 'b\n' })).toBe('{"a":"b\\n"}');
    expect(printable('user\u202egpj.exe')).toBe('user\\u202egpj.exe');
  });
});

describe('a JSON argument', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-cli-'));
    writeFileSync(join(folder, 'payload.json'), '{"from": "file"}');
  });
  afterAll(() => rm(folder, { recursive: true }));

  const read = (argument: string, stdin = '') => readJsonObject(argument, '--payload', terminalWith(stdin));

  test('is the text itself, a file, or standard input', async () => {
    expect(await read('{"a": [1, 2]}')).toEqual({ a: [1, 2] });
    expect(await read(`@${join(folder, 'payload.json')}`)).toEqual({ from: 'file' });
    expect(await read('-', '{"from": "stdin ü"}')).toEqual({ from: 'stdin ü' });
  });

  test.each([
    ['{"a": 9007199254740993}', '/a'],
    ['{"a": 1e400}', '/a'],
    ['{"a": 1, "a": 2}', '/a'],
    ['{"__proto__": {}}', '/__proto__'],
    ['{', 'not valid JSON'],
    ['[1]', 'must be a JSON object'],
    ['null', 'must be a JSON object'],
    ['@/no/such/file', 'ENOENT'],
  ])('that cannot be sent as it is written is refused: %s', async (argument, message) => {
    await expect(read(argument)).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining(message) });
  });
});

function terminalWith(stdin: string) {
  return { stdin: Readable.from([stdin]), stdout: process.stdout, stderr: process.stderr, env: {} };
}
