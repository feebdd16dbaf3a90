import { DatabaseError, type Pool } from 'pg';
import { loadSql } from '#runtime/postgres/sql';
import type { AppendResult } from '../port.ts';
import type { Positions } from '../position.ts';
import { appendParameters, type EncodedAppend } from './encoding.ts';
import type { AppendHook } from './hook.ts';

/** Sends one flush in its own transaction and one round trip. @throws whatever the database says; then nothing is known */
export type SendFlush = (flush: readonly EncodedAppend[], timeoutMs: number) => Promise<readonly AppendResult[]>;

interface OutcomeRow {
  /** The last position of each append, 0 for refused ones, as PostgreSQL writes arrays. */
  readonly positions: string;
  readonly refused: readonly Refused[] | null;
}

interface Refused {
  readonly ord: number;
  readonly outcome: 'repeated' | 'conflict';
  readonly version: number;
  readonly position: number | null;
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
    return resultsOf(flush, rows[0] as OutcomeRow, positions);
  };
}

function resultsOf(
  flush: readonly EncodedAppend[],
  { positions, refused }: OutcomeRow,
  { format }: Positions,
): readonly AppendResult[] {
  const lasts = positions.slice(1, -1).split(',');
  const judged = new Map(refused?.map((one) => [one.ord, one]));
  return flush.map(({ append }, ord): AppendResult => {
    const one = judged.get(ord);
    if (one?.outcome === 'conflict') return { kind: 'conflict', actualVersion: one.version };
    const position = format(Number(one ? one.position : lasts[ord]));
    return {
      kind: 'appended',
      version: append.expectedVersion + append.events.length,
      position,
      repeated: one !== undefined,
    };
  });
}

/** What the hook writes is committed with the flush or not at all. */
function withHook(append: string, { functionName, parameterTypes }: AppendHook): string {
  const parameters = parameterTypes.map((type, index) => `$${index + 1 + OWN_PARAMETERS}::${type}`);
  return `WITH appended AS MATERIALIZED (${append})
SELECT positions, refused, ${functionName}(first_positions, ${parameters.join(', ')}) FROM appended`;
}

/** The indexes of the appends that kept the others out, or null when the error is another one. */
export function conflictsOf(error: unknown): readonly number[] | null {
  if (!(error instanceof DatabaseError) || error.code !== 'HF001') return null;
  return (error.detail ?? '').split(',').map(Number);
}
