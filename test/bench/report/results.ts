import type { Metrics } from './metrics.ts';

/** One run of one product, as it was measured. */
export interface Run {
  readonly group: string;
  readonly entry: string;
  readonly ours: boolean;
  /** From 1. Ratios are taken within one. */
  readonly repetition: number;
  /** Of the machine over the last minute, when the run began: a run among others is slower. */
  readonly loadAverage: number;
  readonly seconds: number;
  /** `null` with an error: work was lost or done twice, or the run did not end. */
  readonly metrics: Metrics | null;
  readonly error: string | null;
}

export interface GroupTitle {
  readonly key: string;
  readonly title: string;
}

export interface Results {
  readonly machine: Readonly<Record<string, string | number | boolean>>;
  readonly startedAt: string;
  readonly commit: string;
  readonly repetitions: number;
  /** Anything but 1 is a quick look whose figures do not count. */
  readonly scale: number;
  readonly notes: readonly string[];
  readonly groups: readonly GroupTitle[];
  readonly runs: readonly Run[];
}

/**
 * Several runs as one, in the order given: of other workloads, or more repetitions of the same, which are then counted on.
 * @throws when there are none.
 */
export function mergeResults(all: readonly Results[]): Results {
  const [first] = all;
  if (first === undefined) throw new Error('no results were given');
  const runs: Run[] = [];
  for (const { runs: next } of all) {
    const before = runs.reduce((most, { repetition }) => Math.max(most, repetition), 0);
    runs.push(...next.map((run) => ({ ...run, repetition: run.repetition + before })));
  }
  return {
    ...first,
    commit: [...new Set(all.map(({ commit }) => commit))].join(', '),
    scale: Math.min(...all.map(({ scale }) => scale)),
    repetitions: Math.max(...all.map(({ repetitions }) => repetitions)),
    notes: [...new Set(all.flatMap(({ notes }) => notes))],
    groups: [...new Map(all.flatMap(({ groups }) => groups.map((group) => [group.key, group]))).values()],
    runs,
  };
}
