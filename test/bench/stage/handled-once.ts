import type { Handled } from '../children/calls.ts';

/** What all worker processes saw, as one. @throws when a job was started twice, by one of them or by two. */
export function handledOnce(all: readonly Handled[]): Handled {
  const [first, ...others] = all;
  if (first === undefined) throw new Error('no worker ran');
  for (const { starts, startedAt, doneAt } of others) {
    for (let n = 0; n < starts.length; n += 1) {
      first.starts[n] = (first.starts[n] ?? 0) + (starts[n] ?? 0);
      first.startedAt[n] = Math.max(first.startedAt[n] ?? 0, startedAt[n] ?? 0);
      first.doneAt[n] = Math.max(first.doneAt[n] ?? 0, doneAt[n] ?? 0);
    }
  }
  const twice = count(first.starts, (starts) => starts > 1);
  if (twice > 0) throw new Error(`${twice} jobs were started more than once`);
  return first;
}

/** @throws when a job never ran. */
export function requireAll({ starts }: Pick<Handled, 'starts'>): void {
  const missed = count(starts, (times) => times === 0);
  if (missed > 0) throw new Error(`${missed} of ${starts.length} jobs never ran`);
}

function count(values: Uint8Array, is: (value: number) => boolean): number {
  return values.reduce((sum, value) => sum + (is(value) ? 1 : 0), 0);
}
