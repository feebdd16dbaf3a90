import { boolArray, int4Array, int8Array, jsonArray, textArray, uuidArray } from '#runtime/postgres/arrays';
import { STATE_FORMAT } from '../job-state.ts';
import type { DueRow } from './change.ts';

/** Rows as parallel arrays, in the order in which `due_jobs_follow_append` and `due_jobs_write` take them. */
export function dueColumns(rows: readonly DueRow[]): unknown[] {
  return [
    uuidArray(rows.map((row) => row.jobId)),
    int4Array(rows.map((row) => row.version)),
    textArray(rows.map((row) => row.status)),
    textArray(rows.map((row) => row.queue)),
    textArray(rows.map((row) => row.type)),
    int8Array(rows.map((row) => row.rank)),
    int8Array(rows.map((row) => row.dueAt)),
    boolArray(rows.map((row) => row.ready)),
    textArray(rows.map((row) => row.requestId)),
    jsonArray(rows.map((row) => row.state)),
    STATE_FORMAT,
  ];
}

export const DUE_COLUMN_TYPES = [
  ...['uuid[]', 'integer[]', 'text[]', 'text[]', 'text[]', 'bigint[]', 'bigint[]', 'boolean[]', 'text[]', 'json[]'],
  'smallint',
];
