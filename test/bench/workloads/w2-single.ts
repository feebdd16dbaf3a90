import { type Entry, HOLDFAST, peersIn } from '../products/catalog.ts';
import { p50p99 } from '../report/statistics.ts';
import { cpuMetrics, withCpu } from '../stage/cpu-metrics.ts';
import type { Stage } from '../stage/stage.ts';
import { scaledSeconds, type Workload } from './workload.ts';

const SECONDS = 5;
const CLIENTS = [1, 32];

const OVER_HTTP: Entry = {
  title: 'Holdfast over HTTP',
  product: 'holdfast-http',
  mode: 'defaults',
  store: 'postgres',
  serverRoles: 'api',
};

/** Single submits in a closed loop. The peers are called in process, which is the most they can do. */
export const singleSubmit: Workload = (sizes) =>
  CLIENTS.map((clients) => ({
    key: `w2-${clients}`,
    title: `Single submits, ${clients} ${clients === 1 ? 'client' : 'clients'}`,
    entries: [HOLDFAST, OVER_HTTP, ...peersIn('latency')],
    clients,
    limitSeconds: 60,
    run: (stage: Stage) => run(stage, clients, scaledSeconds(SECONDS, sizes)),
  }));

async function run(stage: Stage, clients: number, seconds: number) {
  await stage.load.call('openSubmitter');
  await stage.load.call('submitClosed', { clients, seconds: Math.min(1, seconds / 5) });
  const { value, cpu } = await withCpu(stage, () => stage.load.call('submitClosed', { clients, seconds }));
  const { p50, p99 } = p50p99(value.latencies);
  return {
    jobsPerSecond: value.jobs / value.seconds,
    p50Ms: p50,
    p99Ms: p99,
    ...cpuMetrics(cpu, value.jobs, value.seconds),
  };
}
