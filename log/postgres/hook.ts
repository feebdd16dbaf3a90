import type { StreamAppend } from '../port.ts';

/**
 * Lets a table be written in the append's own transaction and round trip. The store itself knows nothing of that table;
 * `bin/` wires the two together.
 */
export interface AppendHook {
  /**
   * One or more data-modifying CTEs, without the leading `WITH` and without a trailing comma. They may read the CTE
   * `appended (ord int, version bigint, first_position bigint, position bigint)`, which has a row for each append that
   * was written by this statement (not for those refused, nor for repeats): `ord` is the index in `appends`, from 0.
   * Parameters are `$1` ... as returned by `params`; the store renumbers them behind its own.
   */
  readonly sql: string;
  /** The parameters of the statement for one flush. */
  params(appends: readonly StreamAppend[]): readonly unknown[];
}
