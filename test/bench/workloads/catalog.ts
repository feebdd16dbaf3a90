import { bulkSubmit } from './w1-bulk.ts';
import { singleSubmit } from './w2-single.ts';
import { drainOne, drainTwo } from './w3-drain.ts';
import { idleLatency } from './w4-idle.ts';
import { highestRate } from './w5-highest.ts';
import { sustainedRate } from './w5-sustained.ts';
import { growingBacklog } from './w6-backlog.ts';
import { onlyOurs } from './w8-ours.ts';
import type { Workload } from './workload.ts';

export const WORKLOADS = {
  w1: bulkSubmit,
  w2: singleSubmit,
  w3: drainOne,
  w4: idleLatency,
  w5: sustainedRate,
  w5max: highestRate,
  w6: growingBacklog,
  w7: drainTwo,
  w8: onlyOurs,
} as const satisfies Readonly<Record<string, Workload>>;

export type WorkloadName = keyof typeof WORKLOADS;

export const WORKLOAD_NAMES = Object.keys(WORKLOADS) as readonly WorkloadName[];

export function isWorkloadName(name: string): name is WorkloadName {
  return Object.hasOwn(WORKLOADS, name);
}
