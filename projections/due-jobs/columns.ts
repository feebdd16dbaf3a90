import { STATE_FORMAT } from '../job-state.ts';
import { jsonTextArray, plainArray, textArray } from '../sql-arrays.ts';
import type { DueRow } from './change.ts';

/** Rows as parallel arrays, in the order in which `hook.sql` and `write.sql` unnest them. */
export function dueColumns(rows: readonly DueRow[]): unknown[] {
  return [
    plainArray(rows.map((row) => row.jobId)),
    plainArray(rows.map((row) => row.version)),
    textArray(rows.map((row) => row.status)),
    textArray(rows.map((row) => row.queue)),
    textArray(rows.map((row) => row.type)),
    plainArray(rows.map((row) => row.rank)),
    plainArray(rows.map((row) => row.dueAt)),
    plainArray(rows.map((row) => row.ready)),
    textArray(rows.map((row) => row.requestId)),
    jsonTextArray(rows.map((row) => row.state)),
    STATE_FORMAT,
  ];
}
