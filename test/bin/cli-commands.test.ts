import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { type Running, startServing } from './server-process.ts';
import { holdfast } from './terminal.ts';

const KEY = 'a-key-for-the-tests';
const NO_JOB = '01937d2e-8c4a-7b1e-9f00-5a1c2d3e4f50';

let database: TestDatabase;
let server: Running;
let env: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startServing([process.execPath, 'bin/holdfast.js', 'server'], {
    DATABASE_URL: database.connectionString,
    HOLDFAST_PORT: '0',
    HOLDFAST_ADMIN_KEY: KEY,
    HOLDFAST_POLL_MS: '100',
  });
  env = { HOLDFAST_URL: server.url, HOLDFAST_API_KEY: KEY, DATABASE_URL: database.connectionString };
});
afterAll(async () => {
  await server?.stop();
  await database?.drop();
});

const run = (argv: string[], stdin?: string) => holdfast(argv, { env, ...(stdin !== undefined && { stdin }) });

async function submit(...options: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await run(['jobs', 'submit', '--quiet', ...options]);
  expect(stderr.replace(/^holdfast: no live worker .*\n/, '')).toBe('');
  expect(exitCode).toBe(0);
  return stdout.trim();
}

describe('holdfast jobs', () => {
  test('submits, waits for, shows and tells the history of a job', async () => {
    const id = await submit('--type', 'noop', '--tag', 'a', '--tag', 'b', '--priority', '-3');
    const waited = await run(['jobs', 'wait', id, '--json']);
    expect(waited.exitCode).toBe(0);
    expect(JSON.parse(waited.stdout)).toMatchObject({ id, status: 'succeeded', tags: ['a', 'b'], priority: -3 });
    const got = await run(['jobs', 'get', id, '--at-version', '0', '--json']);
    expect(JSON.parse(got.stdout)).toMatchObject({ id, status: 'pending', version: 0 });
    const history = await run(['jobs', 'history', id]);
    expect(history.stdout.split('\n').map((line) => line.split('\t').slice(0, 2))).toEqual([
      ['0', 'Submitted'],
      ['1', 'Claimed'],
      ['2', 'Succeeded'],
      [''],
    ]);
  });

  test('reads the payload from standard input and keeps it', async () => {
    const { stdout } = await run(
      ['jobs', 'submit', '--type', 'nobody', '--payload', '-', '--json'],
      '{"n": 1.5, "ü": "\\u001b"}',
    );
    expect(JSON.parse(stdout)).toMatchObject({ payload: { n: 1.5, ü: '\u001b' } });
  });

  test('makes one job of one key, and refuses the key for another request with exit code 4', async () => {
    const argv = ['--type', 'nobody', '--idempotency-key', 'only-once'];
    expect(await submit(...argv)).toBe(await submit(...argv));
    const other = await run(['jobs', 'submit', ...argv, '--priority', '1']);
    expect(other.exitCode).toBe(4);
    expect(other.stderr).toMatch(/idempotency-key-reused, request \S+\)/);
  });

  test('lists over several pages, one line a job, and goes on by the cursor', async () => {
    const ids = await Promise.all(Array.from({ length: 7 }, () => submit('--type', 'nobody', '--queue', 'paged')));
    const list = (...more: string[]) => run(['jobs', 'list', '--queue', 'paged', ...more]);
    await until('all are listed', async () => (await list('--quiet')).stdout.split('\n').length === 8);
    expect((await list('--quiet')).stdout.trim().split('\n').sort()).toEqual(ids.sort());
    const first = JSON.parse((await list('--limit', '4', '--json')).stdout);
    const rest = JSON.parse((await list('--cursor', first.next_cursor, '--json')).stdout);
    expect([...first.data, ...rest.data].map((job) => job.id).sort()).toEqual(ids.sort());
    expect(rest.next_cursor).toBeNull();
    expect(
      (await list('--jsonl')).stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).queue),
    ).toEqual(Array(7).fill('paged'));
  });

  test('cancels a pending job once, and lets only a dead one be replayed', async () => {
    const id = await submit('--type', 'nobody', '--delay', '3600');
    const cancelled = await run(['jobs', 'cancel', id, '--reason', 'not needed', '--json']);
    expect(JSON.parse(cancelled.stdout)).toMatchObject({ status: 'cancelled', cancel: { reason: 'not needed' } });
    expect((await run(['jobs', 'cancel', id])).exitCode).toBe(0);
    const replayed = await run(['jobs', 'replay', id]);
    expect(replayed.exitCode).toBe(4);
    expect(replayed.stderr).toContain('not-dead');
    const waited = await run(['jobs', 'wait', id]);
    expect(waited.exitCode).toBe(1);
    expect(waited.stderr).toContain('The job is cancelled: not needed');
  });

  test('replays a dead job, and with another payload makes a new one', async () => {
    const id = await submit('--type', 'http', '--payload', '{"url": "http://127.0.0.1:1/"}');
    const dead = await run(['jobs', 'wait', id]);
    expect(dead.exitCode).toBe(1);
    expect(dead.stderr).toContain('The job is dead');
    const replayed = JSON.parse((await run(['jobs', 'replay', id, '--reason', 'try', '--json'])).stdout);
    expect(replayed).toMatchObject({ id, replays: 1 });
    await run(['jobs', 'wait', id]);
    const fresh = JSON.parse(
      (await run(['jobs', 'replay', id, '--payload', '{"url": "http://127.0.0.1:2/"}', '--json'])).stdout,
    );
    expect(fresh.id).not.toBe(id);
    expect(fresh.origin).toMatchObject({ kind: 'replay-as-new', job_id: id });
  });

  test('gives up waiting with exit code 6', async () => {
    const id = await submit('--type', 'nobody', '--delay', '3600');
    const { exitCode, stderr } = await run(['jobs', 'wait', id, '--timeout', '0.2']);
    expect(exitCode).toBe(6);
    expect(stderr).toContain('still pending');
  });

  test('tells what does not exist by exit code 3 and what is not valid by 2, naming the field', async () => {
    expect((await run(['jobs', 'get', NO_JOB])).exitCode).toBe(3);
    const refused = await run(['jobs', 'submit', '--queue', 'Not A Queue', '--priority', '1000']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('/queue');
    expect(refused.stderr).toContain('/priority');
  });

  test('is shut out without the key by exit code 5', async () => {
    const { exitCode, stderr } = await holdfast(['jobs', 'list'], { env: { HOLDFAST_URL: server.url } });
    expect(exitCode).toBe(5);
    expect(stderr).toContain('unauthorized');
  });

  test('warns that nobody serves a type', async () => {
    const { stderr } = await run(['jobs', 'submit', '--type', 'nobody']);
    expect(stderr).toContain('no live worker serves the type nobody');
  });
});

describe('holdfast events tail', () => {
  test('prints what it is asked for, from the beginning or from a position on', async () => {
    const id = await submit('--type', 'noop', '--queue', 'tailed');
    await run(['jobs', 'wait', id]);
    const all = await run(['events', 'tail', '--queue', 'tailed', '--from-beginning', '--limit', '3', '--jsonl']);
    const events = all.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ subject, streamversion }) => [subject, streamversion])).toEqual([
      [id, 0],
      [id, 1],
      [id, 2],
    ]);
    const rest = await run([
      'events',
      'tail',
      '--queue',
      'tailed',
      '--after',
      events[1].position,
      '--limit',
      '1',
      '--quiet',
    ]);
    expect(rest.stdout.trim()).toBe(events[2].id);
  });

  test('without a start prints what comes from now on', async () => {
    const tail = run(['events', 'tail', '--queue', 'fresh', '--event', 'Submitted', '--limit', '1', '--jsonl']);
    const printed = tail.then(({ stdout }) => JSON.parse(stdout).subject as string);
    const submitted: string[] = [];
    const first = await until('the tail has seen one', async () => {
      submitted.push(await submit('--type', 'nobody', '--queue', 'fresh'));
      return await Promise.race([printed, new Promise<null>((resolve) => setImmediate(resolve, null))]);
    });
    expect(submitted).toContain(first);
  });
});

describe('the rest of the command line', () => {
  test('lists queues and projections', async () => {
    await submit('--type', 'noop', '--queue', 'counted');
    const queues = await until('the queue is listed', async () => {
      const { data } = JSON.parse((await run(['queues', '--json'])).stdout);
      return data.find((queue: { name: string }) => queue.name === 'counted');
    });
    expect(queues).toMatchObject({ paused: false });
    expect((await run(['projections', 'status', '--quiet'])).stdout.split('\n')).toContain('due_jobs');
  });

  test('the doctor finds nothing wrong here, and says what is wrong elsewhere', async () => {
    const well = await run(['doctor', '--json']);
    const { checks } = JSON.parse(well.stdout);
    expect(checks.filter((one: { verdict: string }) => one.verdict !== 'ok')).toEqual([]);
    expect(checks.map((one: { check: string }) => one.check)).toEqual(
      expect.arrayContaining(['node', 'postgres', 'schema', 'clock', 'server', 'readiness', 'key']),
    );
    const unwell = await holdfast(['doctor'], {
      env: { HOLDFAST_URL: server.url, DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:1/none' },
    });
    expect(unwell.exitCode).toBe(1);
    expect(unwell.stdout).toMatch(/failed {3}postgres/);
    expect(unwell.stdout).toMatch(/failed {3}key .*HOLDFAST_API_KEY/);
    expect(unwell.stdout + unwell.stderr).not.toContain('secret');
  });

  test('a projection that a running server works on is not rebuilt', async () => {
    const refused = await run(['projections', 'rebuild', 'jobs']);
    expect(refused.exitCode).toBe(4);
    expect(refused.stderr).toContain('Stop it first');
    expect((await run(['projections', 'rebuild', 'frog'])).exitCode).toBe(3);
  });
});

describe('holdfast migrate', () => {
  test('brings an empty database up once, and a server refuses it before', async () => {
    const empty = await createEmptyDatabase();
    try {
      const there = { DATABASE_URL: empty.connectionString };
      const early = startServing([process.execPath, 'bin/holdfast.js', 'server'], { ...there, HOLDFAST_PORT: '0' });
      await expect(early).rejects.toThrow('holdfast migrate');
      const first = await holdfast(['migrate', '--json'], { env: there });
      expect(JSON.parse(first.stdout).applied[0]).toBe('0001_log.sql');
      const second = await holdfast(['migrate', '--json'], { env: there });
      expect(JSON.parse(second.stdout)).toEqual({ applied: [] });
      const rebuilt = await holdfast(['projections', 'rebuild', 'jobs', '--quiet'], { env: there });
      expect(rebuilt).toMatchObject({ exitCode: 0, stdout: 'jobs\n' });
    } finally {
      await empty.drop();
    }
  });

  test('an unreachable database is exit code 6, and its password stays unsaid', async () => {
    const env = { DATABASE_URL: 'postgres://someone:secret@127.0.0.1:1/none' };
    const { exitCode, stderr } = await holdfast(['migrate'], { env });
    expect(exitCode).toBe(6);
    expect(stderr).not.toContain('secret');
  });
});
