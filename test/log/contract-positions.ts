import { expect, it } from 'vitest';
import { ForeignPosition, NO_STREAM } from '#log/port';
import { logForGroup, type OpenLog } from './contract.ts';
import { anAppend, written } from './events.ts';

export function positionContract(open: OpenLog): void {
  const log = logForGroup(open);

  it('start before the first event: the head of an empty log is a place to read from', async () => {
    const head = await log().head();
    expect(await log().checkPosition(head)).toBe(head);
    expect(await log().readAll(head, 10)).toEqual({ events: [], next: head });
    expect(await log().readAll(null, 10)).toEqual({ events: [], next: head });
  });

  it('grow as text, are those of the events, and end at the head', async () => {
    const first = written(await log().append([anAppend('grow', NO_STREAM)]));
    const second = written(await log().append([anAppend('grow', 0)]));
    expect(second.position > first.position).toBe(true);
    expect((await log().readStream('grow')).map(({ position }) => position)).toEqual([first.position, second.position]);
    expect(await log().head()).toBe(second.position);
    expect((await log().readAll(first.position, 10)).events.map(({ position }) => position)).toEqual([second.position]);
  });

  it('are good as soon as an append has told them', async () => {
    const { position } = written(await log().append([anAppend('told', NO_STREAM)]));
    expect(await log().checkPosition(position)).toBe(position);
  });

  const refused: readonly (readonly [string, (head: string) => string])[] = [
    ['of another log', (head) => (head.startsWith('0') ? '1' : '0') + head.slice(1)],
    ['beyond the head', (head) => `${head.slice(0, 8)}00000000ffffffff`],
    ['beyond every number', (head) => `${head.slice(0, 8)}ffffffffffffffff`],
    ['in capitals', (head) => `${head.slice(0, 8)}000000000000000A`],
    ['too short', (head) => head.slice(1)],
    ['too long', (head) => `${head}0`],
    ['with a line end', (head) => `${head}\n`],
    ['that are empty', () => ''],
  ];
  for (const [what, spoil] of refused) {
    it(`${what} are refused by every reader`, async () => {
      const position = spoil(await log().head());
      await expect(log().checkPosition(position)).rejects.toThrow(ForeignPosition);
      await expect(log().readAll(position, 1)).rejects.toThrow(ForeignPosition);
      const { signal } = new AbortController();
      const pages = log().subscribe({ after: position, signal })[Symbol.asyncIterator]();
      await expect(pages.next()).rejects.toThrow(ForeignPosition);
    });
  }
}
