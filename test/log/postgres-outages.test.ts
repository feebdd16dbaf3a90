import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EventLog, LogUnavailable, NO_STREAM } from '#log/port';
import { openPostgresLog } from '#log/postgres/store';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#runtime/postgres/embedded';
import { migrate } from '#runtime/postgres/migrate';
import { isConnectionError, openPool } from '#runtime/postgres/pool';
import { until } from '../support/until.ts';
import { follow } from './contract-subscription.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import { anAppend, anEvent, only, placeOf, written } from './events.ts';
import { closeGate, GATE, passingGate } from './gate.ts';
import { openTestLog, silent } from './postgres-log.ts';

describe('postgres: an append whose outcome is unknown', () => {
  let opened: Awaited<ReturnType<typeof openTestLog>>;
  beforeAll(async () => {
    opened = await openTestLog({ prepare: GATE });
  });
  afterAll(() => opened.drop());

  it('is repeated when its connection is killed before the commit, and is in the log once', async () => {
    const gate = await closeGate(opened.database);
    const append = opened.log.append([anAppend('killed', NO_STREAM, [anEvent(), passingGate()])]);
    const [first] = await gate.untilReached();
    await opened.database.pool.query('SELECT pg_terminate_backend($1)', [first]);
    await until('it is tried again', async () => (await gate.untilReached())[0] !== first);
    await gate.open();
    expect(only(await append)).toMatchObject({ kind: 'appended', version: 1, repeated: false });
    expect(await opened.log.readStream('killed')).toHaveLength(2);
  });

  it('is repeated when its answer is lost after the commit, learns that it was written, and is in the log once', async () => {
    const proxy = await startCuttingProxy(opened.database.connectionString);
    const pool = openPool({ connectionString: proxy.connectionString, schema: 'holdfast', max: 3, name: 'proxied' });
    const log = await openPostgresLog({ pool, logger: silent, pollMs: 1000 });
    const cut = proxy.cutNextAnswer();
    const result = only(await log.append([anAppend('lost', NO_STREAM, [anEvent(), anEvent()])]));
    await cut;
    const events = await opened.log.readStream('lost');
    expect(result).toEqual({ kind: 'appended', version: 1, position: events[1]?.position, repeated: true });
    expect(events).toHaveLength(2);
    await log.close();
    await pool.end();
    await proxy.close();
  });

  it('learns that it was written also when the stream has moved on before it asks again', async () => {
    const gate = await closeGate(opened.database);
    const events = [passingGate()];
    const first = opened.log.append([anAppend('overtaken', NO_STREAM, events)]);
    await gate.untilReached();
    const second = opened.log.append([anAppend('overtaken', 0)]);
    await gate.open();
    const original = written(await first);
    await second;
    const again = written(await opened.log.append([anAppend('overtaken', NO_STREAM, events)]));
    expect(again).toEqual({ ...original, repeated: true });
  });

  it('is unavailable when patience runs out', async () => {
    const pool = openPool({
      connectionString: 'postgres://nobody@127.0.0.1:1/nothing',
      schema: 'holdfast',
      max: 1,
      name: 'nowhere',
    });
    await expect(openPostgresLog({ pool, logger: silent, pollMs: 1000 })).rejects.toThrow(LogUnavailable);
    await pool.end();
  });
});

describe('postgres: a server that crashes and comes back', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-crash-'));
  let server: EmbeddedPostgres;
  beforeAll(async () => {
    chmodSync(dataDir, 0o755);
    // The processes crash, the machine does not: commits must reach the system, but need not reach the disk.
    const settings = { synchronous_commit: 'on', full_page_writes: 'on' };
    server = await startEmbeddedPostgres({ dataDir, durable: false, settings });
    await migrate({ connectionString: server.connectionString, schema: 'holdfast' });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('loses no acknowledged append, doubles none, and its subscriptions go on', { timeout: 120_000 }, async () => {
    const pool = openPool({ connectionString: server.connectionString, schema: 'holdfast', max: 8, name: 'crash' });
    const log = await openPostgresLog({ pool, logger: silent, pollMs: 200, appendPatienceMs: 25_000 });
    const reader = follow(log, { after: null, pageSize: 10 });
    const isMoving = (from: number) => until('appends are read', () => reader.events.length > from + 50, 25_000);
    const writers = [0, 1, 2, 3].map((n) => appendUntilStopped(log, `crash-${n}`));
    for (let crash = 0; crash < 3; crash += 1) {
      await isMoving(reader.events.length);
      await crashServer(pool);
    }
    await isMoving(reader.events.length);
    const acknowledged = (await Promise.all(writers.map((writer) => writer.stop()))).flat();
    await until('all are read', () => reader.events.length >= acknowledged.length);
    await reader.stop();
    expect(reader.events.map(placeOf).sort()).toEqual(acknowledged.sort());
    expect(new Set(reader.events.map(({ id }) => id)).size).toBe(acknowledged.length);
    await log.close();
    await pool.end();
  });

  it('answers readers with LogUnavailable while it is down', async () => {
    const own = openPool({ connectionString: server.connectionString, schema: 'holdfast', max: 2, name: 'down' });
    const log = await openPostgresLog({ pool: own, logger: silent, pollMs: 200, appendPatienceMs: 300 });
    // As a power cut would: at once, and for everybody.
    process.kill(Number.parseInt(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10), 'SIGQUIT');
    await until('the server is gone', () => own.query('SELECT').then(() => false, isConnectionError));
    await expect(log.readStream('any')).rejects.toThrow(LogUnavailable);
    await expect(log.readAll(null, 1)).rejects.toThrow(LogUnavailable);
    await expect(log.head()).rejects.toThrow(LogUnavailable);
    await expect(log.append([anAppend('down', NO_STREAM)])).rejects.toThrow(LogUnavailable);
    await log.close();
    await own.end();
  });
});

/** Kills one backend as a crash would; the postmaster then ends all others and recovers from the write-ahead log. */
async function crashServer(pool: ReturnType<typeof openPool>): Promise<void> {
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  process.kill(rows[0]?.pid ?? Number.NaN, 'SIGKILL');
}

function appendUntilStopped(log: EventLog, stream: string): { stop(): Promise<readonly string[]> } {
  let isStopped = false;
  const acknowledged: string[] = [];
  const loop = (async () => {
    for (let version = 0; !isStopped; version += 1) {
      written(await log.append([anAppend(stream, version - 1)]));
      acknowledged.push(`${stream}@${version}`);
    }
  })();
  return {
    stop: async () => {
      isStopped = true;
      await loop;
      return acknowledged;
    },
  };
}
