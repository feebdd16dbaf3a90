import type { CommandOutcome } from './contract.ts';
import type { Deps } from './deps.ts';
import { execute } from './execute.ts';

/** Bounded, so that a sweep after an outage does not keep its first leases waiting for its last. */
export const SWEEP_LIMIT = 500;

/**
 * Ends leases whose time is over: the clock permits the event, and the event ends the lease. Any number of processes may
 * sweep at once; the append decides whose event counts.
 * @returns How many jobs were moved.
 */
export async function sweep(deps: Deps): Promise<number> {
  const overdue = await deps.due.overdue(deps.clock.now(), SWEEP_LIMIT);
  if (overdue.length === 0) return 0;
  const items = overdue.map(({ job }) => ({ jobId: job.id, command: { kind: 'end-lease' } as const, candidate: job }));
  const outcomes = await execute(deps, items, { actor: 'system:sweeper' });
  return outcomes.filter((outcome: CommandOutcome) => outcome.kind === 'done' && outcome.changed).length;
}
