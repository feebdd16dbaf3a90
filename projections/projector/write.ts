/** What a batch writes: a call of a function in the schema that answers true, so that it can stand in any statement. */
export interface BatchWrite {
  readonly functionName: string;
  /** The SQL type of each parameter. */
  readonly types: readonly string[];
  readonly values: readonly unknown[];
}

interface Statement {
  /** Stays prepared on its connection. */
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

const MOVE_TYPES = ['text', 'bigint', 'text', 'text', 'integer'];

/** The write alone, for who holds the tables in another way than by an epoch. */
export function bareWrite({ functionName, types, values }: BatchWrite): Statement {
  return { name: functionName, text: `SELECT ${callOf(functionName, types, 1)}`, values: [...values] };
}

/**
 * Moves a checkpoint, and writes if it moved: one statement, and so one round trip and one transaction. It answers
 * whether it moved.
 * @param move - The parameters of `projection_move`.
 */
export function fencedWrite(move: readonly unknown[], write: BatchWrite | null): Statement {
  const moved = callOf('projection_move', MOVE_TYPES, 1);
  if (write === null) return { name: 'move', text: `SELECT ${moved} AS moved`, values: [...move] };
  const call = callOf(write.functionName, write.types, 1 + MOVE_TYPES.length);
  return {
    name: `move-${write.functionName}`,
    text: `SELECT CASE WHEN moved THEN ${call} ELSE false END AS moved FROM ${moved} AS moved`,
    values: [...move, ...write.values],
  };
}

function callOf(functionName: string, types: readonly string[], first: number): string {
  return `${functionName}(${types.map((type, index) => `$${first + index}::${type}`).join(', ')})`;
}
