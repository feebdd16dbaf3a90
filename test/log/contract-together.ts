import { expect, it } from 'vitest';
import { NO_STREAM } from '#log/port';
import { logForGroup, type OpenLog } from './contract.ts';
import { anAppend, anEvent } from './events.ts';

/** For stores that can write many streams in one transaction. */
export function togetherContract(open: OpenLog): void {
  const log = logForGroup(open);
  const together = async (...appends: ReturnType<typeof anAppend>[]) => await log().appendAtomically?.(appends);

  it('writes all streams', async () => {
    const result = await together(anAppend('all-a', NO_STREAM), anAppend('all-b', NO_STREAM, [anEvent(), anEvent()]));
    expect(result).toMatchObject({ kind: 'appended', results: [{ version: 0 }, { version: 1 }] });
    expect(await log().readStream('all-a')).toHaveLength(1);
    expect(await log().readStream('all-b')).toHaveLength(2);
  });

  it('writes nothing when one is in conflict, and names every one that is', async () => {
    await log().append([anAppend('taken-a', NO_STREAM), anAppend('taken-b', NO_STREAM)]);
    const appends = ['taken-a', 'free-a', 'taken-b', 'free-b'].map((stream) => anAppend(stream, NO_STREAM));
    expect(await together(...appends)).toEqual({ kind: 'refused', conflicts: [0, 2] });
    expect(await log().readStream('free-a')).toEqual([]);
    expect(await log().readStream('free-b')).toEqual([]);
  });

  it('is told the first outcome when it is repeated', async () => {
    const appends = [anAppend('twice-a', NO_STREAM), anAppend('twice-b', NO_STREAM)];
    const first = await together(...appends);
    const second = await together(...appends);
    const results = first?.kind === 'appended' ? first.results.map((result) => ({ ...result, repeated: true })) : [];
    expect(results).toHaveLength(2);
    expect(second).toEqual({ kind: 'appended', results });
  });
}
