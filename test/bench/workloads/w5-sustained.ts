import { HOLDFAST, peersIn } from '../products/catalog.ts';
import type { Metrics } from '../report/metrics.ts';
import { cpuMetrics, withCpu } from '../stage/cpu-metrics.ts';
import { backlogAtEnd, largestBacklog, runOpenLoop } from '../stage/open-loop.ts';
import type { Stage } from '../stage/stage.ts';
import { latencies } from './latencies.ts';
import { scaledSeconds, type Workload } from './workload.ts';

const PER_SECOND = 500;
const SECONDS = 60;
const CLIENTS = 32;
const WARM_UP = { jobs: 500, perSecond: 100 };
/** Who falls behind is measured to the end of the backlog. */
const MOST_SECONDS_AFTER = 60;

/** Single submits at a rate that a busy application has, and a worker process that keeps up or does not. */
export const sustainedRate: Workload = (sizes) => {
  const seconds = scaledSeconds(SECONDS, sizes);
  return [
    {
      key: 'w5',
      title: `${PER_SECOND} single submits a second for ${seconds} s, open loop`,
      entries: [HOLDFAST, ...peersIn('latency')],
      clients: CLIENTS,
      limitSeconds: 240,
      run: (stage) => run(stage, Math.round(PER_SECOND * seconds)),
    },
  ];
};

async function run(stage: Stage, jobs: number): Promise<Metrics> {
  await stage.load.call('openSubmitter');
  const worker = await stage.addWorker();
  await worker.call('startWorker');
  await runOpenLoop(stage, { first: jobs, ...WARM_UP, from: 'plan' }, 10);
  const plan = { first: 0, jobs, perSecond: PER_SECOND, from: 'plan' } as const;
  const { value, cpu, seconds } = await withCpu(stage, () => runOpenLoop(stage, plan, MOST_SECONDS_AFTER));
  if (value === null) throw new Error(`the backlog was not done ${MOST_SECONDS_AFTER} s after the last submit`);
  await stage.load.call('audit', jobs + WARM_UP.jobs);
  return {
    ...latencies(value),
    largestBacklog: largestBacklog(value),
    backlogAtEnd: backlogAtEnd(value),
    ...cpuMetrics(cpu, jobs, seconds),
  };
}
