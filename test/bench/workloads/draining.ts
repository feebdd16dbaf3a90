import type { Metrics } from '../report/metrics.ts';
import { cpuMetrics, withCpu } from '../stage/cpu-metrics.ts';
import { drain, handledByAll, verify } from '../stage/drain.ts';
import { peakRssBytes } from '../stage/process-cpu.ts';
import { waitForReadModel } from '../stage/read-model.ts';
import type { Stage } from '../stage/stage.ts';

export const BATCH = 1_000;
const MIB = 2 ** 20;

interface Plan {
  readonly jobs: number;
  readonly workers: number;
  /** What is not done by then is left; the rate counts what was. */
  readonly mostSeconds: number;
}

/** A backlog that waits before the first worker starts, then worked off. */
export async function drainBacklog(stage: Stage, plan: Plan): Promise<Metrics> {
  const { jobs } = plan;
  await stage.load.call('openSubmitter');
  await stage.load.call('submitBulk', { first: 0, jobs, batch: BATCH });
  while (stage.workers.length < plan.workers) await stage.addWorker();
  let readModelSeconds: number | null = null;
  const {
    value: drained,
    cpu,
    seconds,
  } = await withCpu(stage, async () => {
    const result = await drain(stage, plan);
    if (result.complete) readModelSeconds = await waitForReadModel(stage);
    return result;
  });
  const done = drained.complete ? jobs : drained.started;
  if (drained.complete) await verify(stage, jobs);
  else await handledByAll(stage);
  return {
    jobsPerSecond: done / drained.seconds,
    ...cpuMetrics(cpu, done, seconds),
    workerRssMiB: await workerRss(stage),
    ...(stage.server && { serverRssMiB: peakRssBytes(stage.server.pid) / MIB }),
    ...(drained.complete && { storedBytesPerJob: (await stage.load.call('storedBytes')) / jobs }),
    ...(readModelSeconds !== null && { readModelSeconds }),
  };
}

async function workerRss(stage: Stage): Promise<number> {
  const usages = await Promise.all(stage.workers.map((worker) => worker.call('usage')));
  return Math.max(...usages.map(({ peakRssBytes: peak }) => peak)) / MIB;
}
