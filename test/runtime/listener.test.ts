import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLogger } from '#runtime/logger';
import { createListener, type Listener } from '#runtime/postgres/listener';
import { createTestDatabase, type TestDatabase } from '#test/support/database';
import { openProxy } from '#test/support/proxy';
import { until } from '#test/support/until';

const logger = createLogger({ level: 'silent', name: 'test' });

let database: TestDatabase;
let listener: Listener;
beforeEach(async () => {
  database = await createTestDatabase();
  listener = createListener({ connectionString: database.connectionString, logger });
});
afterEach(async () => {
  await listener.close();
  await database.drop();
});

const notify = (channel: string, payload: string) =>
  database.pool.query('SELECT pg_notify($1, $2)', [channel, payload]);

test('a notification reaches everybody who listens to its channel, and nobody else', async () => {
  const heard: string[] = [];
  const record = (who: string) => (payload?: string) => void heard.push(`${who} ${payload ?? 'woken'}`);
  await listener.listen('Jobs "now"', record('first'));
  await listener.listen('Jobs "now"', record('second'));
  await listener.listen('other', record('third'));
  heard.length = 0;
  await notify('Jobs "now"', 'a');
  await until('both have heard', () => heard.length === 2);
  expect(heard).toEqual(['first a', 'second a']);
});

test('whoever has left hears nothing any more', async () => {
  const heard: string[] = [];
  const leave = await listener.listen('jobs', () => heard.push('gone'));
  await listener.listen('jobs', (payload) => payload && heard.push(payload));
  leave();
  heard.length = 0;
  await notify('jobs', 'a');
  await until('the other has heard', () => heard.length > 0);
  expect(heard).toEqual(['a']);
});

test('after its connection was ended it wakes everybody and hears again', async () => {
  const heard: (string | undefined)[] = [];
  await listener.listen('jobs', (payload) => heard.push(payload));
  heard.length = 0;
  await database.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'holdfast listener'`,
  );
  await until('it has come back', () => heard.length > 0);
  expect(heard).toEqual([undefined]);
  await notify('jobs', 'a');
  await until('it hears again', () => heard.includes('a'));
});

test('listening does not wait for a database that is away, and begins when it comes', async () => {
  const proxy = await openProxy(database.connectionString);
  await proxy.close();
  const patient = createListener({ connectionString: proxy.url, logger });
  let woken = 0;
  await patient.listen('jobs', () => {
    woken += 1;
  });
  expect(woken).toBe(0);
  const back = await openProxy(database.connectionString, proxy.port);
  await until('it has connected', () => woken > 0);
  await patient.close();
  await back.close();
});

test('a connection that has fallen silent is noticed and replaced', async () => {
  const proxy = await openProxy(database.connectionString);
  const watchful = createListener({ connectionString: proxy.url, logger, probeEveryMs: 50, probeTimeoutMs: 200 });
  let woken = 0;
  await watchful.listen('jobs', () => {
    woken += 1;
  });
  const before = woken;
  proxy.freeze();
  await until('it has come back by a new connection', () => woken > before);
  await watchful.close();
  await proxy.close();
});

test('closing ends it while it tries to reconnect', async () => {
  const stubborn = createListener({ connectionString: 'postgres://127.0.0.1:1/x', logger });
  await stubborn.listen('jobs', () => undefined);
  await stubborn.close();
});

test('closing ends it while it connects for the first time', async () => {
  const hasty = createListener({ connectionString: database.connectionString, logger });
  const listening = hasty.listen('jobs', () => undefined);
  await hasty.close();
  await listening;
});
