import type { Pool } from 'pg';
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
const OWN_PARAMETERS = 15;

export function flushSender(pool: Pool, positions: Positions, hook: AppendHook | undefined): SendFlush {
  const text = hook === undefined ? APPEND : withHook(hook.sql);
  return async (flush, timeoutMs) => {
    const values = appendParameters(flush);
    if (hook !== undefined) values.push(...hook.params(flush.map(({ append }) => append)));
    const query = { text, values, query_timeout: timeoutMs };
    const { rows } = await pool.query<OutcomeRow>(query);
    const results: AppendResult[] = [];
    for (const row of rows) results[row.ord] = resultOf(row, positions);
    if (rows.length !== flush.length) throw new Error(`${flush.length} appends were sent, ${rows.length} answered`);
    return results;
  };
}

/** The hook's statements see what was written by this flush, and are committed with it or not at all. */
function withHook(sql: string): string {
  const renumbered = sql.replaceAll(/\$(\d+)/g, (_, number: string) => `$${Number(number) + OWN_PARAMETERS}`);
  return `WITH outcome AS MATERIALIZED (${APPEND}),
appended AS (
  SELECT ord, version::bigint AS version, first_position, position FROM outcome WHERE outcome = 'appended'
),
${renumbered}
SELECT ord, outcome, version, position FROM outcome`;
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
