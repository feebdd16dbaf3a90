import type { OpenLoop } from '../children/calls.ts';
import { HOLDFAST, peersIn } from '../products/catalog.ts';
import type { Metrics } from '../report/metrics.ts';
import { p50p99 } from '../report/statistics.ts';
import { between, runOpenLoop } from '../stage/open-loop.ts';
import type { Stage } from '../stage/stage.ts';
import { scaledSeconds, type Workload } from './workload.ts';

/** Jobs a second; each step about two fifths above the last. */
const LADDER = [100, 150, 200, 300, 400, 600, 800, 1_100, 1_500, 2_000, 2_800, 4_000, 5_600, 8_000];
const STEP_SECONDS = 15;
const MOST_P99_MS = 100;
const CLIENTS = 32;
const WARM_UP = { jobs: 500, perSecond: 100 };
const MOST_SECONDS_AFTER = 15;

/** The highest rate of single submits at which 99 of 100 jobs are done within a tenth of a second. */
export const highestRate: Workload = (sizes) => [
  {
    key: 'w5max',
    title: `Highest rate of single submits with done p99 below ${MOST_P99_MS} ms`,
    entries: [HOLDFAST, ...peersIn('latency')],
    clients: CLIENTS,
    limitSeconds: 600,
    run: (stage) => climb(stage, scaledSeconds(STEP_SECONDS, sizes)),
  },
];

async function climb(stage: Stage, seconds: number): Promise<Metrics> {
  await stage.load.call('openSubmitter');
  const worker = await stage.addWorker();
  await worker.call('startWorker');
  await runOpenLoop(stage, { first: 0, ...WARM_UP, from: 'plan' }, MOST_SECONDS_AFTER);
  let first = WARM_UP.jobs;
  let best: Metrics = { highestPerSecond: 0 };
  for (const perSecond of LADDER) {
    const jobs = Math.round(perSecond * seconds);
    const held = await firstHeld([first, first + jobs], (from) => holds(stage, { first: from, jobs, perSecond }));
    if (held === null) return best;
    best = { highestPerSecond: perSecond, ...held };
    first += 2 * jobs;
  }
  return best;
}

/** A step is tried again when it failed: something else may have been at work on the machine. */
async function firstHeld(
  starts: readonly number[],
  attempt: (first: number) => Promise<Metrics | null>,
): Promise<Metrics | null> {
  for (const first of starts) {
    const held = await attempt(first);
    if (held !== null) return held;
  }
  return null;
}

/** `null` when the rate is too high. */
async function holds(stage: Stage, plan: Omit<OpenLoop, 'from'>): Promise<Metrics | null> {
  const timeline = await runOpenLoop(stage, { ...plan, from: 'plan' }, MOST_SECONDS_AFTER);
  if (timeline === null) return null;
  const { p50, p99 } = p50p99(between(timeline.sentAt, timeline.doneAt));
  return p99 < MOST_P99_MS ? { doneP50Ms: p50, doneP99Ms: p99 } : null;
}
