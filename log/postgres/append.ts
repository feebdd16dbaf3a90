import { DatabaseError, type Pool } from 'pg';
import { loadSql } from '#runtime/postgres/sql';
import type { AppendResult } from '../port.ts';
import type { Positions } from '../position.ts';
import { appendParameters, type EncodedAppend } from './encoding.ts';
import type { AppendHook } from './hook.ts';

/** Sends one flush in its own transaction and one round trip. @throws whatever the database says; then nothing is known */
export type SendFlush = (flush: readonly EncodedAppend[], timeoutMs: number) => Promise<readonly AppendResult[]>;

interface OutcomeRow {
  readonly ord: number;
  readonly outcome: 'appended' | 'repeated' | 'conflict';
  readonly version: number;
  readonly position: string | null;
}

const APPEND = loadSql(import.meta.url, './append.sql');
const APPEND_TOGETHER = loadSql(import.meta.url, './append-together.sql');
const OWN_PARAMETERS = 13;

export interface SenderOptions {
  readonly pool: Pool;
  readonly positions: Positions;
  readonly hook: AppendHook | undefined;
  /** All or none: a conflict is then thrown, and `conflictsOf` tells whose it was. */
  readonly together?: boolean;
}

export function flushSender({ pool, positions, hook, together = false }: SenderOptions): SendFlush {
  const append = together ? APPEND_TOGETHER : APPEND;
  const text = hook === undefined ? append : withHook(append, hook);
  const name = together ? 'append-together' : 'append';
  return async (flush, timeoutMs) => {
    const values: unknown[] = appendParameters(flush);
    if (hook !== undefined) values.push(...hook.params(flush.map(({ append }) => append)));
    const query = { name, text, values, query_timeout: timeoutMs };
    const { rows } = await pool.query<OutcomeRow>(query);
    const results: AppendResult[] = [];
    for (const row of rows) results[row.ord] = resultOf(row, positions);
    if (rows.length !== flush.length) throw new Error(`${flush.length} appends were sent, ${rows.length} answered`);
    return results;
  };
}

/** What the hook writes is committed with the flush or not at all. */
function withHook(append: string, { functionName, parameterTypes }: AppendHook): string {
  const parameters = parameterTypes.map((type, index) => `$${index + 1 + OWN_PARAMETERS}::${type}`);
  return `WITH outcome AS MATERIALIZED (${append}),
hooked AS MATERIALIZED (
  SELECT ${functionName}(
    array_agg(CASE WHEN outcome = 'appended' THEN first_position ELSE 0 END ORDER BY ord), ${parameters.join(', ')}
  ) FROM outcome
)
SELECT ord, outcome, version, position FROM hooked CROSS JOIN outcome`;
}

/** The indexes of the appends that kept the others out, or null when the error is another one. */
export function conflictsOf(error: unknown): readonly number[] | null {
  if (!(error instanceof DatabaseError) || error.code !== 'HF001') return null;
  return (error.detail ?? '').split(',').map(Number);
}

function resultOf(row: OutcomeRow, positions: Positions): AppendResult {
  switch (row.outcome) {
    case 'conflict':
      return { kind: 'conflict', actualVersion: row.version };
    case 'appended':
    case 'repeated': {
      const position = positions.format(Number(row.position));
      return { kind: 'appended', version: row.version, position, repeated: row.outcome === 'repeated' };
    }
  }
}
