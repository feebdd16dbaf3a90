import { HOLDFAST, peersIn } from '../products/catalog.ts';
import type { Metrics } from '../report/metrics.ts';
import { runOpenLoop } from '../stage/open-loop.ts';
import type { Stage } from '../stage/stage.ts';
import { latencies } from './latencies.ts';
import { scaledSeconds, type Workload } from './workload.ts';

const PER_SECOND = 20;
const SECONDS = 30;
/** Connections are open and the code is compiled before the clock starts. */
const WARM_UP = { jobs: 100, perSecond: 50 };

/** A few jobs a second on a system that has nothing else to do, submitted and worked by different processes. */
export const idleLatency: Workload = (sizes) => {
  const seconds = scaledSeconds(SECONDS, sizes);
  return [
    {
      key: 'w4',
      title: `${PER_SECOND} jobs a second for ${seconds} s on an idle system`,
      entries: [HOLDFAST, ...peersIn('latency')],
      clients: 1,
      limitSeconds: 120,
      run: (stage) => run(stage, Math.round(PER_SECOND * seconds)),
    },
  ];
};

async function run(stage: Stage, jobs: number): Promise<Metrics> {
  await stage.load.call('openSubmitter');
  const worker = await stage.addWorker();
  await worker.call('startWorker');
  await runOpenLoop(stage, { first: jobs, ...WARM_UP, from: 'call' }, 10);
  const timeline = await runOpenLoop(stage, { first: 0, jobs, perSecond: PER_SECOND, from: 'call' }, 10);
  if (timeline === null) throw new Error('jobs of an idle system were not done within 10 s');
  await stage.load.call('audit', jobs + WARM_UP.jobs);
  return latencies(timeline);
}
