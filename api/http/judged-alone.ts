import type { FieldProblem } from '#domain/json/value';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The array of the body whose items are judged alone: what is wrong with one of them is no fault of the body. */
    judgedAlone?: string;
  }
}

/** What is wrong with the items of a body, by index. */
export type ItemProblems = ReadonlyMap<number, readonly FieldProblem[]>;

export const NO_ITEM_PROBLEMS: ItemProblems = new Map();

/** More than a batch has items. With so many, the rest of the text was not looked at, and the body is refused as a whole. */
export const MOST_ITEM_PROBLEMS = 1000;

/** Parts what is wrong with single items from what is wrong with the body. */
export function partByItem(
  problems: readonly FieldProblem[],
  array: string,
): { readonly ofBody: readonly FieldProblem[]; readonly ofItems: ItemProblems } {
  if (problems.length >= MOST_ITEM_PROBLEMS) return { ofBody: problems, ofItems: NO_ITEM_PROBLEMS };
  const byIndex = Map.groupBy(problems, ({ pointer }) => indexIn(pointer, array));
  const ofBody = byIndex.get(null) ?? [];
  byIndex.delete(null);
  return { ofBody, ofItems: byIndex as ReadonlyMap<number, readonly FieldProblem[]> };
}

function indexIn(pointer: string, array: string): number | null {
  const [, name, index] = pointer.split('/', 3);
  return name === array && index !== undefined ? Number(index) : null;
}
