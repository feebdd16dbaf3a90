import { HOLDFAST, peersIn } from '../products/catalog.ts';
import { cpuMetrics, withCpu } from '../stage/cpu-metrics.ts';
import { scaled, type Workload } from './workload.ts';

const JOBS = 50_000;
const BATCH = 1_000;
/** Connections are open and the code is compiled before the clock starts. */
const WARM_UP = 2_000;

/** Bulk submits, one batch after the other. */
export const bulkSubmit: Workload = (sizes) => {
  const jobs = scaled(JOBS, sizes);
  return [
    {
      key: 'w1',
      title: `Bulk submit of ${jobs.toLocaleString('en')} jobs in batches of ${BATCH.toLocaleString('en')}`,
      entries: [HOLDFAST, ...peersIn('fastest')],
      clients: 1,
      limitSeconds: 120,
      async run(stage) {
        await stage.load.call('openSubmitter');
        await stage.load.call('submitBulk', { first: jobs, jobs: WARM_UP, batch: BATCH });
        const plan = { first: 0, jobs, batch: BATCH };
        const { value: seconds, cpu } = await withCpu(stage, () => stage.load.call('submitBulk', plan));
        return { jobsPerSecond: jobs / seconds, ...cpuMetrics(cpu, jobs, seconds) };
      },
    },
  ];
};
