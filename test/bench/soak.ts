import { parseArgs } from 'node:util';
import type { Entry } from './products/catalog.ts';
import { quantile } from './report/statistics.ts';
import { type Cluster, startCluster } from './stage/cluster.ts';
import { rssBytes } from './stage/process-cpu.ts';
import { Stage } from './stage/stage.ts';
import { untilDrained } from './stage/until-drained.ts';

/*
 * Whether a server's memory stays flat: `npm run bench:soak -- --minutes 60 --rate 200`. Steady submits over HTTP to one
 * server with all roles; its memory each minute, and the last minute's beside the tenth's.
 */

const SERVER: Entry = {
  title: 'Holdfast server, all roles',
  product: 'holdfast-http',
  mode: 'defaults',
  store: 'postgres',
  serverRoles: 'api,projector,worker,scheduler',
};
const SAMPLE_EVERY_MS = 1_000;
const SETTLED_AT_MINUTE = 10;
const MIB = 2 ** 20;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, rate: { type: 'string', default: '200' } },
});
const minutes = Number(values.minutes);
const perSecond = Number(values.rate);
if (!(minutes > 0 && perSecond > 0)) throw new Error('--minutes and --rate take numbers above 0');

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());

const cluster = await startCluster();
try {
  await soak(cluster);
} catch (error) {
  if (!interrupted.signal.aborted) throw error;
  process.exitCode = 130;
} finally {
  await cluster.stop();
}

async function soak(on: Cluster): Promise<void> {
  const stage = await Stage.open({ cluster: on, entry: SERVER, name: 'soak', clients: 32 }, interrupted.signal);
  try {
    await stage.load.call('openSubmitter');
    const byMinute: number[] = [];
    for (let minute = 1; minute <= minutes; minute += 1) {
      byMinute.push(await oneMinute(stage, minute));
      process.stdout.write(`minute ${minute}: server RSS ${byMinute.at(-1)?.toFixed(0)} MiB\n`);
    }
    await untilDrained(stage);
    await stage.load.call('audit', minutes * perSecond * 60);
    report(byMinute);
  } finally {
    await stage.close();
  }
}

/** @returns The median of the server's memory, MiB. */
async function oneMinute(stage: Stage, minute: number): Promise<number> {
  const samples: number[] = [];
  const sampler = setInterval(() => samples.push(rssBytes(stage.server?.pid ?? 0) / MIB), SAMPLE_EVERY_MS);
  const jobs = perSecond * 60;
  await stage.load
    .call('submitOpen', { first: (minute - 1) * jobs, jobs, perSecond, from: 'plan' })
    .finally(() => clearInterval(sampler));
  return quantile(
    samples.sort((a, b) => a - b),
    0.5,
  );
}

function report(byMinute: readonly number[]): void {
  const settled = Math.min(SETTLED_AT_MINUTE, byMinute.length);
  const ratio = (byMinute.at(-1) ?? 0) / (byMinute[settled - 1] ?? 1);
  process.stdout.write(`minute ${byMinute.length} / minute ${settled}: ${ratio.toFixed(2)}\n`);
}
