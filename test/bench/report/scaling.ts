import type { MetricName } from './metrics.ts';
import { ratiosWithin } from './ratios.ts';
import type { Run } from './results.ts';
import { spread } from './statistics.ts';
import { figure, table } from './table.ts';

/** One product beside itself: does it gain by a second worker process, does it lose when more is waiting? */
const COMPARISONS: readonly { readonly title: string; readonly above: string; readonly below: string }[] = [
  { title: 'two worker processes / one', above: 'w7', below: 'w3' },
  { title: 'backlog of 100,000 / 10,000', above: 'w6-100000', below: 'w6-10000' },
  { title: 'backlog of 500,000 / 10,000', above: 'w6-500000', below: 'w6-10000' },
  { title: 'backlog of 1,000,000 / 10,000', above: 'w6-1000000', below: 'w6-10000' },
];

const METRIC: MetricName = 'jobsPerSecond';

/** Empty unless both sides of a comparison were measured. */
export function scalingTable(runs: readonly Run[]): string[] {
  const rows = COMPARISONS.flatMap(({ title, above, below }) => {
    const entries = new Set(runs.filter(({ group }) => group === above).map(({ entry }) => entry));
    return [...entries].flatMap((entry) => {
      const ratios = ratiosWithin(
        runs,
        { group: above, entry, metric: METRIC },
        { group: below, entry, metric: METRIC },
      );
      if (ratios.length === 0) return [];
      const { median, least, most } = spread(ratios);
      return [[title, entry, figure(median), `${figure(least)}–${figure(most)}`]];
    });
  });
  return rows.length === 0
    ? []
    : ['## Each product beside itself', table(['jobs/s', 'product', 'ratio', 'range'], rows)];
}
