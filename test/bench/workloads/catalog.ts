import { bulkSubmit } from './w1-bulk.ts';
import { singleSubmit } from './w2-single.ts';
import { drainOne, drainTwo } from './w3-drain.ts';
import type { Workload } from './workload.ts';

export const WORKLOADS = {
  w1: bulkSubmit,
  w2: singleSubmit,
  w3: drainOne,
  w7: drainTwo,
} as const satisfies Readonly<Record<string, Workload>>;

export type WorkloadName = keyof typeof WORKLOADS;

export const WORKLOAD_NAMES = Object.keys(WORKLOADS) as readonly WorkloadName[];

export function isWorkloadName(name: string): name is WorkloadName {
  return Object.hasOwn(WORKLOADS, name);
}
