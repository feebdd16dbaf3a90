/** What is measured, in the order of the tables. `better` tells which way a ratio of ours to a peer's is good. */
export const METRICS = {
  jobsPerSecond: { title: 'jobs/s', better: 'higher' },
  firstTenthPerSecond: { title: 'first tenth, jobs/s', better: 'higher' },
  lastTenthPerSecond: { title: 'last tenth, jobs/s', better: 'higher' },
  lastTenthByFirst: { title: 'last tenth / first', better: 'higher' },
  p50Ms: { title: 'p50 ms', better: 'lower' },
  p99Ms: { title: 'p99 ms', better: 'lower' },
  submitP50Ms: { title: 'submit p50 ms', better: 'lower' },
  submitP99Ms: { title: 'submit p99 ms', better: 'lower' },
  startP50Ms: { title: 'start p50 ms', better: 'lower' },
  startP99Ms: { title: 'start p99 ms', better: 'lower' },
  doneP50Ms: { title: 'done p50 ms', better: 'lower' },
  doneP99Ms: { title: 'done p99 ms', better: 'lower' },
  largestBacklog: { title: 'largest backlog', better: 'lower' },
  backlogAtEnd: { title: 'backlog at the end', better: 'lower' },
  highestPerSecond: { title: 'highest rate held, jobs/s', better: 'higher' },
  loadCpuMs: { title: 'load CPU ms/job', better: 'lower' },
  workerCpuMs: { title: 'worker CPU ms/job', better: 'lower' },
  serverCpuMs: { title: 'server CPU ms/job', better: 'lower' },
  storeCpuMs: { title: 'store CPU ms/job', better: 'lower' },
  totalCpuMs: { title: 'CPU ms/job in all', better: 'lower' },
  coresUsed: { title: 'cores used', better: 'none' },
  workerRssMiB: { title: 'worker RSS MiB', better: 'lower' },
  serverRssMiB: { title: 'server RSS MiB', better: 'lower' },
  storedBytesPerJob: { title: 'bytes a job', better: 'lower' },
  readModelSeconds: { title: 'read tables behind at the end, s', better: 'none' },
  hotTablePages: { title: 'hot table, pages', better: 'none' },
  lagP50Ms: { title: 'read-model lag p50 ms', better: 'none' },
  lagP99Ms: { title: 'read-model lag p99 ms', better: 'none' },
  eventsPerSecond: { title: 'events/s', better: 'none' },
} as const satisfies Readonly<Record<string, { readonly title: string; readonly better: 'higher' | 'lower' | 'none' }>>;

export type MetricName = keyof typeof METRICS;

export type Metrics = Partial<Record<MetricName, number>>;
