import { METRICS, type MetricName } from './metrics.ts';
import type { Run } from './results.ts';
import { type Spread, spread } from './statistics.ts';

/** Ours divided by a peer's, of one metric of one group. */
export interface Ratio {
  readonly group: string;
  readonly metric: MetricName;
  readonly ours: string;
  readonly peer: string;
  /** Of the ratios of each repetition that has both. */
  readonly ratio: Spread;
}

const COMPARED = (Object.keys(METRICS) as MetricName[]).filter((name) => METRICS[name].better !== 'none');

/** Both sides of a ratio come from the same repetition, so that what slows the machine for a while slows both. */
export function ratiosOf(runs: readonly Run[]): readonly Ratio[] {
  const entries = [...new Map(runs.map((run) => [`${run.group} ${run.entry}`, run])).values()];
  return entries
    .filter(({ ours }) => ours)
    .flatMap((ours) => {
      const peers = entries.filter((peer) => !peer.ours && peer.group === ours.group);
      return peers.flatMap((peer) => COMPARED.flatMap((metric) => ratioOf(runs, metric, ours, peer)));
    });
}

function ratioOf(runs: readonly Run[], metric: MetricName, ours: Run, peer: Run): readonly Ratio[] {
  const { group } = ours;
  const ratios = ratiosWithin(runs, { ...ours, metric }, { ...peer, metric });
  return ratios.length === 0 ? [] : [{ group, metric, ours: ours.entry, peer: peer.entry, ratio: spread(ratios) }];
}

interface Side {
  readonly group: string;
  readonly entry: string;
  readonly metric: MetricName;
}

/** One ratio for each repetition in which both sides were measured. */
export function ratiosWithin(runs: readonly Run[], above: Side, below: Side): readonly number[] {
  const valuesOf = ({ group, entry, metric }: Side) =>
    new Map(
      runs
        .filter((run) => run.group === group && run.entry === entry)
        .map((run) => [run.repetition, run.metrics?.[metric]]),
    );
  const divisors = valuesOf(below);
  return [...valuesOf(above)].flatMap(([repetition, value]) => {
    const divisor = divisors.get(repetition);
    return value === undefined || divisor === undefined || divisor === 0 ? [] : [value / divisor];
  });
}
