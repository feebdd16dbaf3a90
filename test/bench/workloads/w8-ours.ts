import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ROOT, withoutOurs } from '#test/bin/server-process';
import { type Entry, HOLDFAST } from '../products/catalog.ts';
import type { Metrics } from '../report/metrics.ts';
import { p50p99 } from '../report/statistics.ts';
import { readModelLags } from '../stage/lag-prober.ts';
import { runOpenLoop } from '../stage/open-loop.ts';
import { peakRssBytes } from '../stage/process-cpu.ts';
import { waitForReadModel } from '../stage/read-model.ts';
import type { Stage } from '../stage/stage.ts';
import { untilDrained } from '../stage/until-drained.ts';
import { BATCH, drainBacklog } from './draining.ts';
import { scaled, scaledSeconds, type Workload } from './workload.ts';

const LAG = { perSecond: 1_000, seconds: 30 };
/** Enough that the start of the command, which counts, is a small part. */
const REBUILT_JOBS = 200_000;
const SERVED_JOBS = 50_000;
const EVENTS_A_JOB = 3;

const SERVER: Entry = {
  title: 'Holdfast server, all roles',
  product: 'holdfast-http',
  mode: 'defaults',
  store: 'postgres',
  serverRoles: 'api,projector,worker,scheduler',
};

/** What only a log with read tables has to show: how far they are behind, how fast they are refilled; and a server's memory. */
export const onlyOurs: Workload = (sizes) => {
  const seconds = scaledSeconds(LAG.seconds, sizes);
  const rebuilt = scaled(REBUILT_JOBS, sizes);
  const served = scaled(SERVED_JOBS, sizes);
  const ours = { entries: [HOLDFAST], clients: 32, limitSeconds: 600 };
  return [
    {
      ...ours,
      key: 'w8-lag',
      title: `Read-model lag at ${LAG.perSecond.toLocaleString('en')} jobs a second for ${seconds} s`,
      run: (stage) => lag(stage, Math.round(LAG.perSecond * seconds)),
    },
    {
      ...ours,
      key: 'w8-rebuild',
      title: `Rebuild of the table of jobs from ${(rebuilt * EVENTS_A_JOB).toLocaleString('en')} events`,
      run: (stage) => rebuild(stage, rebuilt),
    },
    {
      ...ours,
      key: 'w8-memory',
      title: `A server with all roles, given ${served.toLocaleString('en')} no-op jobs by bulk submits while it runs them`,
      entries: [SERVER],
      run: (stage) => serverAtFullLoad(stage, served),
    },
  ];
};

async function lag(stage: Stage, jobs: number): Promise<Metrics> {
  const { perSecond } = LAG;
  await stage.load.call('openSubmitter');
  const worker = await stage.addWorker();
  await worker.call('startWorker');
  await runOpenLoop(stage, { first: jobs, jobs: perSecond, perSecond, from: 'plan' }, 30);
  const lags = await readModelLags(stage, async () => {
    const timeline = await runOpenLoop(stage, { first: 0, jobs, perSecond, from: 'plan' }, 60);
    if (timeline === null) throw new Error('the backlog was not done 60 s after the last submit');
    await waitForReadModel(stage);
  });
  await stage.load.call('audit', jobs + perSecond);
  const { p50, p99 } = p50p99(lags);
  return { lagP50Ms: p50, lagP99Ms: p99 };
}

async function rebuild(stage: Stage, jobs: number): Promise<Metrics> {
  await drainBacklog(stage, { jobs, workers: 1, mostSeconds: 400 });
  await stage.workers[0]?.call('stopWorker');
  const begin = performance.now();
  const env = { ...withoutOurs(), DATABASE_URL: stage.databaseUrl ?? '' };
  const command = ['bin/holdfast.js', 'projections', 'rebuild', 'jobs'];
  await promisify(execFile)(process.execPath, command, { cwd: ROOT, env });
  const seconds = (performance.now() - begin) / 1000;
  await waitForReadModel(stage);
  return { eventsPerSecond: (jobs * EVENTS_A_JOB) / seconds };
}

async function serverAtFullLoad(stage: Stage, jobs: number): Promise<Metrics> {
  await stage.load.call('openSubmitter');
  const begin = performance.now();
  await stage.load.call('submitBulk', { first: 0, jobs, batch: BATCH });
  await untilDrained(stage);
  const seconds = (performance.now() - begin) / 1000;
  await waitForReadModel(stage);
  await stage.load.call('audit', jobs);
  return { jobsPerSecond: jobs / seconds, serverRssMiB: peakRssBytes(stage.server?.pid ?? 0) / 2 ** 20 };
}
