import { type Entry, HOLDFAST, isOurs, peersIn } from '../products/catalog.ts';
import type { Stage } from '../stage/stage.ts';
import { drainBacklog } from './draining.ts';
import { type Sizes, scaled, type Workload } from './workload.ts';

const JOBS = 50_000;
/** Some default settings would take hours. */
const DEFAULTS_MOST_SECONDS = 15;
const MOST_SECONDS = 120;

const BY_LEASES: Entry = {
  title: 'Holdfast, REST lease protocol',
  product: 'holdfast-http',
  mode: 'defaults',
  store: 'postgres',
  serverRoles: 'api,projector,scheduler',
};

function draining(key: string, title: string, entries: readonly Entry[], workers: number, sizes: Sizes) {
  const jobs = scaled(JOBS, sizes);
  return {
    key,
    title: `${title} of ${jobs.toLocaleString('en')} no-op jobs`,
    entries,
    clients: 1,
    limitSeconds: 300,
    run: (stage: Stage) => {
      const bounded = stage.entry.mode === 'defaults' && !isOurs(stage.entry);
      return drainBacklog(stage, { jobs, workers, mostSeconds: bounded ? DEFAULTS_MOST_SECONDS : MOST_SECONDS });
    },
  };
}

/** One worker process against a backlog: ours against the peers' fastest settings, then against their defaults. */
export const drainOne: Workload = (sizes) => [
  draining('w3', 'Drain, one worker process,', [HOLDFAST, BY_LEASES, ...peersIn('fastest')], 1, sizes),
  draining('w3-defaults', 'Drain, one worker process, default settings,', [HOLDFAST, ...peersIn('defaults')], 1, sizes),
];

export const drainTwo: Workload = (sizes) => [
  draining('w7', 'Drain, two worker processes,', [HOLDFAST, ...peersIn('fastest')], 2, sizes),
];
