import type { Metrics } from '../report/metrics.ts';
import type { Cpu, Stage } from './stage.ts';

/** Runs the measured part and tells the CPU that each process took for it. */
export async function withCpu<T>(
  stage: Stage,
  work: () => Promise<T>,
): Promise<{ value: T; cpu: Cpu; seconds: number }> {
  const before = await stage.cpu();
  const begin = performance.now();
  const value = await work();
  const seconds = (performance.now() - begin) / 1000;
  const after = await stage.cpu();
  const cpu = {
    load: after.load - before.load,
    worker: after.worker - before.worker,
    store: after.store - before.store,
    server: after.server - before.server,
  };
  return { value, cpu, seconds };
}

/** Milliseconds of CPU a job, by part; parts that took none are left out. */
export function cpuMetrics(cpu: Cpu, jobs: number, seconds: number): Metrics {
  const perJob = (value: number) => (value * 1000) / jobs;
  const total = cpu.load + cpu.worker + cpu.store + cpu.server;
  return {
    loadCpuMs: perJob(cpu.load),
    ...(cpu.worker > 0 && { workerCpuMs: perJob(cpu.worker) }),
    ...(cpu.server > 0 && { serverCpuMs: perJob(cpu.server) }),
    storeCpuMs: perJob(cpu.store),
    totalCpuMs: perJob(total),
    coresUsed: total / seconds,
  };
}
