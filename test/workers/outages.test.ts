import { pino } from 'pino';
import { expect, test } from 'vitest';
import { defineJob } from '#workers/define-job';
import type { Outcome, Report } from '#workers/gateway';
import { startSweeper } from '#workers/sweeper';
import { startWorker } from '#workers/worker';
import { until } from '../support/until.ts';
import { lease, ScriptedGateway } from './scripted-gateway.ts';

function work(gateway: ScriptedGateway, lines: string[], concurrency = 4) {
  return startWorker({
    workerId: 'w1',
    gateway,
    jobs: [defineJob({ type: 'work', run: () => 'done' })],
    queues: null,
    concurrency,
    pollMs: 10,
    shutdownSeconds: 1,
    version: 'test',
    logger: pino({ level: 'debug' }, { write: (line: string) => lines.push(line) }),
  });
}

test('claims that fail never end the loop, and are logged once for each outage', async () => {
  const gateway = new ScriptedGateway();
  let failing = 4;
  gateway.onClaim = async (answer) => {
    failing -= 1;
    if (failing >= 0) throw new Error('timeout exceeded when trying to connect');
    return answer;
  };
  gateway.offer(lease('patient'));
  const lines: string[] = [];
  const worker = work(gateway, lines);
  await until('the job is done', () => gateway.reports.length === 1);
  await worker.stop();
  expect(lines.filter((line) => line.includes('claiming jobs failed'))).toHaveLength(1);
  expect(lines.filter((line) => line.includes('claiming jobs works again'))).toHaveLength(1);
});

test('an outcome whose answer was lost is sent again with the same body, and others gather behind it', async () => {
  const gateway = new ScriptedGateway();
  const tries: (readonly Report<Outcome>[])[] = [];
  const open = Promise.withResolvers<void>();
  gateway.onReport = async (reports) => {
    tries.push(reports);
    if (tries.length === 1) {
      await open.promise;
      throw new Error('socket hang up');
    }
    return reports.map(() => ({ kind: 'accepted', cancelRequested: false }));
  };
  gateway.offer(lease('first'));
  const worker = work(gateway, []);
  await until('the first outcome is under way', () => tries.length === 1);
  gateway.offer(lease('second'), lease('third'));
  await until('the others have run', () => gateway.claims.length > 2 && worker.running() === 0);
  open.resolve();
  await until('all is known', () => gateway.reports.length === 3);
  await worker.stop();
  expect(tries.map((batch) => batch.map(({ jobId }) => jobId))).toEqual([['first'], ['first'], ['second', 'third']]);
  expect(tries[1]).toEqual(tries[0]);
});

test('a worker whose outcomes cannot be reported stops claiming before they pile up', async () => {
  const gateway = new ScriptedGateway();
  gateway.onReport = () => Promise.reject(new Error('down'));
  gateway.offer(...Array.from({ length: 5000 }, (_, index) => lease(`job ${index}`)));
  const worker = work(gateway, [], 2);
  const total = () => gateway.claims.reduce((sum, maxJobs) => sum + maxJobs, 0);
  // Two thousand and four a slot, and what one more claim brings.
  const most = 2008 + 502;
  await until('it has claimed all it will', async () => {
    const before = gateway.claims.length;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return total() > 4 && gateway.claims.length === before;
  });
  expect(total()).toBeLessThanOrEqual(most);
  gateway.onReport = async (reports) => reports.map(() => ({ kind: 'accepted', cancelRequested: false }));
  await until('all are done', () => gateway.reports.length === 5000);
  await worker.stop();
});

test('a sweep that fails is not the last one', async () => {
  let sweeps = 0;
  const sweeper = startSweeper({
    commands: {
      async sweep() {
        sweeps += 1;
        if (sweeps < 3) throw new Error('no connection');
        return 0;
      },
    },
    sweepMs: 5,
    logger: pino({ level: 'silent' }),
  });
  await until('it has swept after the failures', () => sweeps > 4);
  await sweeper.stop();
});
