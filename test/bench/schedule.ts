import { loadavg } from 'node:os';
import { type Entry, isOurs } from './products/catalog.ts';
import type { Run } from './report/results.ts';
import type { Cluster } from './stage/cluster.ts';
import { Stage } from './stage/stage.ts';
import type { Group } from './workloads/workload.ts';

export interface Planned {
  readonly group: Group;
  readonly entry: Entry;
  readonly repetition: number;
}

/** Every repetition has every run once; who goes first in a group changes from one to the next. */
export function schedule(groups: readonly Group[], repetitions: number): readonly Planned[] {
  return Array.from({ length: repetitions }, (_, index) => index + 1).flatMap((repetition) =>
    groups.flatMap((group) => {
      const shift = (repetition - 1) % group.entries.length;
      const entries = [...group.entries.slice(shift), ...group.entries.slice(0, shift)];
      return entries.map((entry) => ({ group, entry, repetition }));
    }),
  );
}

/** One run on a stage of its own. What fails it is in the result; only `signal` makes it throw. */
export async function runOne(planned: Planned, cluster: Cluster, name: string, signal: AbortSignal): Promise<Run> {
  const { group, entry, repetition } = planned;
  const facts = { group: group.key, entry: entry.title, ours: isOurs(entry), repetition };
  const loadAverage = loadavg()[0] ?? 0;
  const begin = performance.now();
  const limit = AbortSignal.any([signal, AbortSignal.timeout(group.limitSeconds * 1000)]);
  const seconds = () => (performance.now() - begin) / 1000;
  try {
    const stage = await Stage.open({ cluster, entry, name, clients: group.clients }, limit);
    try {
      const metrics = await group.run(stage);
      return { ...facts, loadAverage, seconds: seconds(), metrics, error: null };
    } finally {
      await stage.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    const reason = limit.aborted ? `not done within ${group.limitSeconds} s` : String(error);
    return { ...facts, loadAverage, seconds: seconds(), metrics: null, error: reason };
  }
}
