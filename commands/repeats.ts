import type { Call, CommandItem, CommandOutcome } from './contract.ts';
import type { Deps } from './deps.ts';
import { eventIdOf, execute, isReport, type Seeded } from './execute.ts';
import { foldStream } from './read-jobs.ts';

/**
 * Executes commands and tells a repeated report from a stale one. Both come with a token that is no longer held; the
 * repeat is one whose very event stands in the stream already, and is answered as the first time.
 */
export async function executeKnowingRepeats(
  deps: Deps,
  items: readonly Seeded[],
  call: Call,
): Promise<CommandOutcome[]> {
  const outcomes = await execute(deps, items, call);
  const lost = outcomes.flatMap((outcome, index) =>
    outcome.kind === 'rejected' && outcome.rejection.code === 'lease-lost' ? [index] : [],
  );
  await Promise.all(
    lost.map(async (index) => {
      const repeat = await findRepeat(deps, items[index] as CommandItem);
      if (repeat) outcomes[index] = repeat;
      else deps.observe.staleWrite();
    }),
  );
  return outcomes;
}

async function findRepeat(deps: Deps, item: CommandItem): Promise<CommandOutcome | null> {
  if (!isReport(item.command) || item.command.kind === 'heartbeat') return null;
  const id = eventIdOf(deps, item)(0);
  const events = await deps.log.readStream(deps.names.job(item.jobId));
  if (!events.some((event) => event.id === id)) return null;
  const at = foldStream(item.jobId, events);
  return at && !(at instanceof Error) ? { kind: 'done', changed: false, ...at } : null;
}
