import type { StreamAppend } from '../port.ts';

/**
 * Lets a table be written in the append's own transaction and round trip. The store itself knows nothing of that table;
 * `bin/` wires the two together.
 */
export interface AppendHook {
  /**
   * A function in the log's schema. It is called once a flush with `positions bigint[]`, in which the n-th element is the
   * number of the first event of the n-th append, or 0 when this flush did not write it (refused, or a repeat); and behind
   * that with what `params` returns.
   */
  readonly functionName: string;
  /** The SQL types of the further parameters. */
  readonly parameterTypes: readonly string[];
  /** The further parameters for one flush; they are read by the n-th append, from 0. */
  params(appends: readonly StreamAppend[]): readonly unknown[];
}
