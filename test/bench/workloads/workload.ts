import type { Entry } from '../products/catalog.ts';
import type { Metrics } from '../report/metrics.ts';
import type { Stage } from '../stage/stage.ts';

/** Work that several products are given, so that their lines of the table can be compared. */
export interface Group {
  /** Such as `w2-32`; the workload is what stands before the first dash. */
  readonly key: string;
  readonly title: string;
  readonly entries: readonly Entry[];
  /** Calls of `submitOne` under way at once. */
  readonly clients: number;
  readonly limitSeconds: number;
  /** @throws when work was lost or done twice: its rate means nothing then. */
  run(stage: Stage): Promise<Metrics>;
}

export interface Sizes {
  /** 1 for figures that count; less for a quick look. */
  readonly scale: number;
  readonly backlogs: readonly number[];
}

export type Workload = (sizes: Sizes) => readonly Group[];

/** A count at this scale, at least 100. */
export function scaled(count: number, { scale }: Sizes): number {
  return Math.max(100, Math.round(count * scale));
}

/** A duration in seconds at this scale, at least 1. */
export function scaledSeconds(seconds: number, { scale }: Sizes): number {
  return Math.max(1, seconds * scale);
}
