import type { z } from 'zod';

/** An event that this version of the program cannot read: unknown, newer than the program, or damaged. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';
}

/** An event that cannot follow what came before it: the stream was not written through `decide`. */
export class IllegalHistory extends Error {
  override readonly name = 'IllegalHistory';
}

/** What keeps this version of the program from folding one stream, and from nothing else. */
export type Unfoldable = UnreadableEvent | IllegalHistory;

export function isUnfoldable(error: unknown): error is Unfoldable {
  return error instanceof UnreadableEvent || error instanceof IllegalHistory;
}

/** The events of one kind of stream as they are written today. */
export interface EventCatalogue<Data extends Readonly<Record<string, z.ZodType>>> {
  readonly data: Data;
  readonly versions: Readonly<Record<keyof Data, number>>;
}

export interface StoredData {
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: unknown;
}

/**
 * Makes today's event of a stored one. Fields that are not known are left out; a type, a schema version or a shape that
 * is not known is refused, since a fold that guesses writes wrong rows.
 * @throws UnreadableEvent
 */
export function readEvent<Data extends Readonly<Record<string, z.ZodType>>>(
  { data: schemas, versions }: EventCatalogue<Data>,
  stored: StoredData,
): { [T in keyof Data]: { readonly type: T; readonly data: z.output<Data[T]> } }[keyof Data] {
  const { type, schemaVersion, data } = stored;
  const schema = Object.hasOwn(schemas, type) ? schemas[type] : undefined;
  if (schema === undefined) throw new UnreadableEvent(`The event type ${type} is not known`);
  if (schemaVersion !== versions[type]) {
    throw new UnreadableEvent(`Schema version ${schemaVersion} of ${type} is not known`);
  }
  const parsed = schema.safeParse(data);
  if (parsed.success) return { type, data: parsed.data as z.output<Data[string]> };
  const issue = parsed.error.issues[0];
  throw new UnreadableEvent(`${type} is damaged at /${issue?.path.join('/')}: ${issue?.message}`);
}
