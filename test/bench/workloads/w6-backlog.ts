import type { Handled } from '../children/calls.ts';
import { HOLDFAST, isOurs, peersIn } from '../products/catalog.ts';
import type { Metrics } from '../report/metrics.ts';
import { hotTablePages } from '../stage/hot-table.ts';
import type { Stage } from '../stage/stage.ts';
import { drainBacklog } from './draining.ts';
import { scaled, type Workload } from './workload.ts';

/** More takes the peers longer than the figure is worth. */
const MOST_OF_PEERS = 500_000;
/** Handlers start in batches of up to 2,500: a tenth of less has too few of them to have a rate. */
const LEAST_FOR_TENTHS = 100_000;

/** Drains of growing backlogs: what is waiting, and what has been done, should not make a claim dearer. */
export const growingBacklog: Workload = (sizes) =>
  sizes.backlogs.map((backlog) => {
    const jobs = scaled(backlog, sizes);
    const peers = backlog > MOST_OF_PEERS ? [] : peersIn('fastest');
    return {
      key: `w6-${backlog}`,
      title: `Drain of a backlog of ${jobs.toLocaleString('en')}`,
      entries: [HOLDFAST, ...peers],
      clients: 1,
      limitSeconds: 120 + backlog / 500,
      run: (stage: Stage) => run(stage, jobs, backlog / 1_000 + 120),
    };
  });

async function run(stage: Stage, jobs: number, mostSeconds: number): Promise<Metrics> {
  const drained = await drainBacklog(stage, { jobs, workers: 1, mostSeconds });
  const [handled] = await Promise.all(stage.workers.map((worker) => worker.call('handled')));
  const pages = isOurs(stage.entry) ? { hotTablePages: await hotTablePages(stage) } : {};
  return { ...drained, ...(handled && jobs >= LEAST_FOR_TENTHS && tenths(handled)), ...pages };
}

/** Rates by the handlers' starts, so that the start of the process counts for neither. */
export function tenths({ startedAt }: Pick<Handled, 'startedAt'>): Metrics {
  const starts = startedAt.filter((at) => at > 0).sort();
  const tenth = Math.floor(starts.length / 10);
  const rate = (from: number, to: number) => (to - from) / (((starts[to] ?? 0) - (starts[from] ?? 0)) / 1000);
  const first = rate(0, tenth);
  const last = rate(starts.length - 1 - tenth, starts.length - 1);
  return { firstTenthPerSecond: first, lastTenthPerSecond: last, lastTenthByFirst: last / first };
}
