import { decodeCursor, encodeCursor } from '../http/cursor.ts';

const scopeOf = (jobId: string) => `history/${jobId}`;

/** Where the next page of a job's events begins. */
export function historyCursor(jobId: string, from: number): string {
  return encodeCursor(scopeOf(jobId), String(from));
}

/** The version to read from. @throws ApiProblem when the cursor is none of this job's. */
export function readHistoryCursor(jobId: string, cursor: string): number {
  return Number(decodeCursor(scopeOf(jobId), cursor));
}
