import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type EventLog, NO_STREAM } from '#log/port';
import { openPostgresLog } from '#log/postgres/store';
import { migrate } from '#runtime/postgres/migrate';
import { openPool } from '#runtime/postgres/pool';
import { createTestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { follow } from './contract-subscription.ts';
import { anAppend, anEvent, placeOf, written } from './events.ts';
import { closeGate, GATE } from './gate.ts';
import { openTestLog, silent } from './postgres-log.ts';

let opened: Awaited<ReturnType<typeof openTestLog>>;
let log: EventLog;
beforeAll(async () => {
  opened = await openTestLog({ prepare: GATE });
  log = opened.log;
});
afterAll(() => opened.drop());

/** A transaction that has written and stays open. */
async function openTransaction(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query('CREATE TABLE IF NOT EXISTS public.elsewhere (n int)');
  await client.query('BEGIN');
  await client.query('INSERT INTO public.elsewhere VALUES (1)');
  return client;
}

async function expectToBeReadAtOnce(stream: string): Promise<void> {
  const reader = follow(log, { after: await log.head() });
  const { position } = written(await log.append([anAppend(stream, NO_STREAM, [anEvent(), anEvent()])]));
  await until('both events', () => reader.events.length === 2, 2_000);
  await reader.stop();
  expect(reader.events.map(placeOf)).toEqual([`${stream}@0`, `${stream}@1`]);
  expect(await log.head()).toBe(position);
}

describe('postgres: readers are not held back', () => {
  it('by a write transaction that stays open in the same database', async () => {
    const stranger = await openTransaction(opened.database.connectionString);
    await expectToBeReadAtOnce('beside-same');
    await stranger.end();
  });

  it('by a write transaction that stays open in another database', async () => {
    const other = await createTestDatabase();
    const stranger = await openTransaction(other.connectionString);
    await expectToBeReadAtOnce('beside-other');
    await stranger.end();
    await other.drop();
  });

  it('by an append to another log in the same database', async () => {
    const { connectionString } = opened.database;
    await migrate({ connectionString, schema: 'other log' });
    const pool = openPool({ connectionString, schema: 'other log', max: 2, name: 'other log' });
    const other = await openPostgresLog({ pool, logger: silent, pollMs: 1000 });
    await pool.query(`CREATE TRIGGER gate BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION holdfast.pass_gate()`);
    const gate = await closeGate(opened.database);
    const held = other.append([anAppend('held', NO_STREAM)]);
    await gate.untilReached();
    await expectToBeReadAtOnce('beside-other-log');
    await gate.open();
    await held;
    expect((await other.readAll(null, 10)).events.map(placeOf)).toEqual(['held@0']);
    await other.close();
    await pool.end();
  });

  it('by an append to another log in the same server', async () => {
    const other = await openTestLog({ prepare: GATE });
    const gate = await closeGate(other.database);
    const held = other.log.append([anAppend('held', NO_STREAM, [anEvent({ data: { gate: 'passes' } })])]);
    await gate.untilReached();
    await expectToBeReadAtOnce('beside-log');
    await gate.open();
    await held;
    await other.drop();
  });

  it('by numbers that were given out and never used', async () => {
    const burn = `SELECT nextval('event_position') FROM generate_series(1, 1000)`;
    await opened.database.pool.query(burn);
    await expectToBeReadAtOnce('burnt-before');
    await opened.database.pool.query(burn);
    const head = await log.head();
    expect(await log.readAll(head, 10)).toEqual({ events: [], next: head });
    await expectToBeReadAtOnce('burnt-between');
  });

  it('by the first number of a burnt run being where they stand', async () => {
    const { position } = written(await log.append([anAppend('stands', NO_STREAM)]));
    await opened.database.pool.query(`SELECT nextval('event_position') FROM generate_series(1, 3)`);
    const { events } = await log.readAll(position, 10);
    expect(events).toEqual([]);
    const later = written(await log.append([anAppend('stands', 0)]));
    expect((await log.readAll(position, 10)).events.map((event) => event.position)).toEqual([later.position]);
  });
});

describe('postgres: a writer process that is frozen', () => {
  it('in the middle of its append lets the append end, and holds nobody back', async () => {
    const gate = await closeGate(opened.database);
    const child = startWriter('frozen-once', 'gate');
    await gate.untilReached();
    const start = await log.head();
    child.kill('SIGSTOP');
    await gate.open();
    await until('its event', async () => (await log.readStream('frozen-once')).length === 1, 2_000);
    expect((await log.readAll(start, 10)).events.map(placeOf)).toContain('frozen-once@0');
    await expectToBeReadAtOnce('beside-frozen');
  });

  it('at any moment holds nobody back, and goes on when it is woken', async () => {
    const child = startWriter('frozen-often');
    const length = async () => (await log.readStream('frozen-often')).length;
    for (let round = 0; round < 10; round += 1) {
      const before = await length();
      await until('the child appends', async () => (await length()) > before);
      child.kill('SIGSTOP');
      await expectStillness(length);
      await expectToBeReadAtOnce(`beside-frozen-${round}`);
      child.kill('SIGCONT');
    }
  });
});

/** A process that appends until the test is over, frozen or not. */
function startWriter(stream: string, ...gate: string[]): ChildProcess {
  const loop = fileURLToPath(new URL('./fixtures/append-loop.ts', import.meta.url));
  const child = fork(loop, [opened.database.connectionString, stream, ...gate], { stdio: 'inherit' });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  return child;
}

/** What the child had sent ends within the statement's time. */
async function expectStillness(length: () => Promise<number>): Promise<void> {
  let last = -1;
  await until('nothing more arrives', async () => {
    const { rows } = await opened.database.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'holdfast append-loop'
         AND state <> 'idle'`,
    );
    const now = await length();
    const isStill = rows.length === 0 && now === last;
    last = now;
    return isStill;
  });
}
