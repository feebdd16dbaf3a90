import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { defineJob } from '#workers/define-job';
import { startSweeper } from '#workers/sweeper';
import { openRig } from './rig.ts';

/*
 * A worker in a process of its own, for tests that stop, freeze or kill one. Arguments: the database's URL, the worker's
 * id, its shutdown grace in seconds. Says on stdout, one JSON line each, what its handlers go through.
 */
const [connectionString = '', workerId = '', graceSeconds = '1'] = process.argv.slice(2);

const say = (line: Record<string, unknown>) => process.stdout.write(`${JSON.stringify(line)}\n`);

const rig = await openRig(connectionString);
const jobs = [
  defineJob({ type: 'good', run: () => workerId }),
  defineJob({ type: 'abort', run: () => process.abort() }),
  defineJob({
    type: 'nap',
    input: z.object({ seconds: z.number() }),
    async run(ctx, { seconds }) {
      say({ event: 'entered', job: ctx.job.id });
      await delay(seconds * 1000);
      say({ event: 'returns', job: ctx.job.id });
      return workerId;
    },
  }),
  defineJob({
    type: 'hold',
    async run(ctx) {
      say({ event: 'entered', job: ctx.job.id });
      await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve(), { once: true }));
      say({ event: 'aborted', job: ctx.job.id, reason: String(ctx.signal.reason?.name) });
      return workerId;
    },
  }),
  defineJob({
    type: 'deaf',
    async run(ctx) {
      say({ event: 'entered', job: ctx.job.id });
      ctx.signal.addEventListener('abort', () =>
        say({ event: 'aborted', job: ctx.job.id, reason: ctx.signal.reason?.name }),
      );
      await delay(600_000);
    },
  }),
  defineJob({
    type: 'parent',
    async run(ctx) {
      say({ event: 'entered', job: ctx.job.id });
      await delay(1000);
      return rig.submit('good');
    },
  }),
];
const worker = rig.work(jobs, { workerId, shutdownSeconds: Number(graceSeconds), concurrency: 5 });
const sweeper = startSweeper({ commands: rig.commands, sweepMs: 300, logger: rig.logger });
say({ event: 'ready' });

process.once('SIGTERM', async () => {
  await worker.stop();
  say({ event: 'stopped', lines: rig.lines.map(({ msg }) => msg) });
  await sweeper.stop();
  await rig.close();
  process.exit(0);
});
