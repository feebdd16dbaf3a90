import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EmbeddedPostgres, findEmbeddedPostgres, startEmbeddedPostgres } from '#runtime/postgres/embedded';
import { createScratch } from '#test/support/scratch';
import { until } from '#test/support/until';

const OWNER = fileURLToPath(new URL('./fixtures/embedded-owner.ts', import.meta.url));

let folder: string;
let dataDir: string;
let started: EmbeddedPostgres[] = [];
let owners: ChildProcess[] = [];
beforeEach(() => {
  folder = createScratch('embedded');
  dataDir = join(folder, 'data');
});
afterEach(async () => {
  for (const owner of owners) owner.kill('SIGKILL');
  for (const postgres of started) await postgres.stop();
  started = [];
  owners = [];
  rmSync(folder, { recursive: true });
});

async function start(directory = dataDir, durable = false): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir: directory, durable });
  started.push(postgres);
  return postgres;
}

/** Another process that starts or adopts the server of the data directory and stays connected. */
async function startOwner(): Promise<{ process: ChildProcess; adopted: boolean }> {
  const child = spawn(process.execPath, [OWNER, dataDir], { stdio: ['pipe', 'pipe', 'inherit'] });
  owners.push(child);
  const [line] = await once(child.stdout, 'data');
  return { process: child, ...JSON.parse(String(line)) };
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const pidFile = () => join(dataDir, 'postgres', 'postmaster.pid');
const serverPid = () => Number(readFileSync(pidFile(), 'utf8').split('\n')[0]);

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('it starts in an empty directory, keeps its data over a stop, and stopping leaves no process', async () => {
  const first = await start();
  expect(first.adopted).toBe(false);
  await query(first.connectionString, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)');
  const pid = serverPid();
  expect(isRunning(pid)).toBe(true);
  await first.stop();
  expect(isRunning(pid)).toBe(false);
  expect(await findEmbeddedPostgres(dataDir)).toBeNull();
  const second = await start();
  expect(await query(second.connectionString, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
});

test('its database is UTF-8, sorts by bytes, lies behind a password in a private file, and logs to a file', async () => {
  const { connectionString } = await start();
  expect(new URL(connectionString).pathname).toBe('/holdfast');
  expect(
    await query(
      connectionString,
      `SELECT pg_encoding_to_char(encoding) AS encoding, datlocprovider, datlocale
      FROM pg_database WHERE datname = current_database()`,
    ),
  ).toEqual([{ encoding: 'UTF8', datlocprovider: 'b', datlocale: 'C.UTF-8' }]);
  expect(await query(connectionString, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
  const stranger = new URL(connectionString);
  stranger.password = 'guess';
  await expect(query(stranger.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
  expect(statSync(join(dataDir, 'postgres', 'holdfast.password')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(dataDir, 'postgres.log'), 'utf8')).toContain('ready to accept connections');
});

test('a server left behind by a killed owner is found and adopted, and stopped by who adopted it', async () => {
  const owner = await startOwner();
  const pid = serverPid();
  owner.process.kill('SIGKILL');
  await once(owner.process, 'exit');
  expect(isRunning(pid)).toBe(true);
  const found = await findEmbeddedPostgres(dataDir);
  expect(await query(found!.connectionString, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  const adopted = await start();
  expect(adopted.adopted).toBe(true);
  expect(serverPid()).toBe(pid);
  await adopted.stop();
  expect(isRunning(pid)).toBe(false);
});

test('while another process uses it, stopping leaves it on; the last one to leave stops it', async () => {
  const mine = await start();
  const pid = serverPid();
  const other = await startOwner();
  expect(other.adopted).toBe(true);
  await mine.stop();
  expect(isRunning(pid)).toBe(true);
  other.process.stdin?.end();
  await once(other.process, 'exit');
  expect(isRunning(pid)).toBe(false);
});

test('several processes may start on one empty directory at the same moment', async () => {
  const all = await Promise.all([start(), startOwner(), startOwner()]);
  expect(all.filter(({ adopted }) => !adopted)).toHaveLength(1);
  expect(await query(all[0].connectionString, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('servers of different directories do not disturb each other', async () => {
  const [one, two] = await Promise.all([start(join(folder, 'one')), start(join(folder, 'two'))]);
  await query(one.connectionString, 'CREATE TABLE only_here (n int)');
  await expect(query(two.connectionString, 'SELECT * FROM only_here')).rejects.toThrow('does not exist');
});

test('after a crash of the server itself it recovers, with nothing committed lost', async () => {
  const first = await start(dataDir, true);
  await query(first.connectionString, 'CREATE TABLE kept AS SELECT 7 AS n');
  const pid = serverPid();
  process.kill(pid, 'SIGKILL');
  await until('it is gone', () => !isRunning(pid));
  const second = await start(dataDir, true);
  expect(second.adopted).toBe(false);
  expect(await query(second.connectionString, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
});

test('a stale file whose number now belongs to another process of the same user does not keep it from starting', async () => {
  const first = await start();
  const uid = statSync(join(dataDir, 'postgres')).uid;
  await first.stop();
  const bystander = spawn('sleep', ['600'], process.getuid?.() === 0 ? { uid, gid: uid } : {});
  owners.push(bystander);
  writeFileSync(
    pidFile(),
    `${bystander.pid}\n${realpathSync(dataDir)}/postgres\n0\n5432\n\n127.0.0.1\n0 0\nready   \n`,
  );
  expect(await findEmbeddedPostgres(dataDir)).toBeNull();
  const second = await start();
  expect(second.adopted).toBe(false);
  expect(isRunning(bystander.pid ?? 0)).toBe(true);
});

test('a path longer than a socket path may be is no obstacle', async () => {
  const { connectionString } = await start(join(folder, 'a deep place', 'x'.repeat(120)));
  expect(await query(connectionString, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a cluster of another major version is refused in words', async () => {
  const first = await start();
  await first.stop();
  writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '14\n');
  await expect(start()).rejects.toThrow('made by PostgreSQL 14');
});

test('a server that cannot start says why', async () => {
  const first = await start();
  await first.stop();
  const broken = startEmbeddedPostgres({ dataDir, durable: false, settings: { shared_buffers: 'plenty' } });
  await expect(broken).rejects.toThrow(/shared_buffers/);
});

const isRoot = process.getuid?.() === 0;

test.runIf(isRoot)(
  'as root, a directory that the unprivileged server may not enter gets a link to where it may',
  async () => {
    const closed = join(folder, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    dataDir = join(closed, 'data');
    const postgres = await start();
    const cluster = realpathSync(join(dataDir, 'postgres'));
    try {
      expect(cluster.startsWith('/var/lib/holdfast/')).toBe(true);
      expect(await query(postgres.connectionString, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await postgres.stop();
      expect((await start()).adopted).toBe(false);
      expect(realpathSync(join(dataDir, 'postgres'))).toBe(cluster);
    } finally {
      await started.at(-1)?.stop();
      rmSync(cluster, { recursive: true });
    }
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
  },
);
