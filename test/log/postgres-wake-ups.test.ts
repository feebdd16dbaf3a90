import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type EventLog, NO_STREAM } from '#log/port';
import { openPostgresLog } from '#log/postgres/store';
import { Watchdog } from '#log/postgres/watchdog';
import { createListener, type Listener } from '#runtime/postgres/listener';
import { until } from '../support/until.ts';
import { follow } from './contract-subscription.ts';
import { anAppend } from './events.ts';
import { closeGate, GATE, passingGate } from './gate.ts';
import { openTestLog, silent } from './postgres-log.ts';

const NEVER_MS = 600_000;

let opened: Awaited<ReturnType<typeof openTestLog>>;
const cleanUps: (() => Promise<void>)[] = [];
beforeAll(async () => {
  opened = await openTestLog({ prepare: GATE });
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});
afterAll(() => opened.drop());

function listener(): Listener {
  const made = createListener({ connectionString: opened.database.connectionString, logger: silent });
  cleanUps.push(() => made.close());
  return made;
}

/** As another process would open it. */
async function anotherLog(pollMs: number, wakeUpBy?: Listener): Promise<EventLog> {
  const log = await openPostgresLog({
    pool: opened.database.pool,
    logger: silent,
    pollMs,
    ...(wakeUpBy === undefined ? {} : { listener: wakeUpBy }),
  });
  cleanUps.push(() => log.close());
  return log;
}

describe('postgres: a subscription', () => {
  it('is woken by an append of its own process', async () => {
    const log = await anotherLog(NEVER_MS);
    const reader = follow(log, { after: await log.head() });
    await log.append([anAppend('own', NO_STREAM)]);
    await until('the event', () => reader.events.length === 1, 2_000);
    await reader.stop();
  });

  it('is woken by an append of another process', async () => {
    const [log, other] = [await anotherLog(NEVER_MS, listener()), await anotherLog(NEVER_MS)];
    const reader = follow(log, { after: await log.head() });
    for (let version = -1; version < 9; version += 1) {
      await other.append([anAppend('others', version)]);
      await until('the event', () => reader.events.length === version + 2, 2_000);
    }
    await reader.stop();
  });

  it('is woken by an append that was refused, since that may have held it back', async () => {
    const [log, other] = [await anotherLog(NEVER_MS, listener()), await anotherLog(NEVER_MS)];
    await other.append([anAppend('in-the-way', NO_STREAM)]);
    const reader = follow(log, { after: await log.head() });
    const gate = await closeGate(opened.database);
    const refused = other.append([anAppend('held-and-refused', NO_STREAM, [passingGate()]), anAppend('in-the-way', 5)]);
    await gate.untilReached();
    await log.append([anAppend('held-back', NO_STREAM)]);
    expect(reader.events).toEqual([]);
    await gate.open();
    await refused;
    await until('both events', () => reader.events.length === 2, 2_000);
    await reader.stop();
  });

  it('that hears of no wake-up finds what is new within its poll interval', async () => {
    const [log, other] = [await anotherLog(100), await anotherLog(NEVER_MS)];
    const reader = follow(log, { after: await log.head() });
    await other.append([anAppend('unheard', NO_STREAM)]);
    await until('the event', () => reader.events.length === 1, 2_000);
    await reader.stop();
  });
});

describe('postgres: the watchdog', () => {
  it('tells once who holds readers back while the head moves, and once that they move again', async () => {
    const lines: { msg: string; heldBackBy?: { pid: number }[] }[] = [];
    const logger = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });
    const watchdog = new Watchdog(opened.database.pool, logger, 5_000);
    const gate = await closeGate(opened.database);
    const held = opened.log.append([anAppend('watched', NO_STREAM, [passingGate()])]);
    const [pid] = await gate.untilReached();
    watchdog.observe({ bound: 10, lastNumber: 10 }, 0);
    watchdog.observe({ bound: 10, lastNumber: 12 }, 1_000);
    watchdog.observe({ bound: 10, lastNumber: 13 }, 4_999);
    watchdog.observe({ bound: 10, lastNumber: 14 }, 5_000);
    watchdog.observe({ bound: 10, lastNumber: 15 }, 9_000);
    await until('the report', () => lines.length === 1);
    expect(lines[0]).toMatchObject({ bound: 10, lastNumber: 14 });
    expect(lines[0]?.heldBackBy?.map((holder) => holder.pid)).toEqual([pid]);
    watchdog.observe({ bound: 15, lastNumber: 15 }, 10_000);
    expect(lines.map(({ msg }) => msg)).toEqual([
      'readers of the log are held back by an append under way',
      'readers of the log move again',
    ]);
    await gate.open();
    await held;
  });
});
