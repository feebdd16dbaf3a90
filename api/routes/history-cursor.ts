import { createHash } from 'node:crypto';
import { invalidRequest } from '../problems/problem.ts';

/** Where the next page of a job's events begins. The digest binds it to the job, and shows when somebody changed it. */
export function historyCursor(jobId: string, from: number): string {
  return Buffer.from(`${from}.${digest(jobId, from)}`).toString('base64url');
}

/** The version to read from. @throws ApiProblem when the cursor is none of this job's. */
export function readHistoryCursor(jobId: string, cursor: string): number {
  const [text = '', given] = Buffer.from(cursor, 'base64url').toString().split('.');
  const from = Number(text);
  if (/^[0-9]{1,15}$/.test(text) && given === digest(jobId, from) && cursor === historyCursor(jobId, from)) return from;
  throw invalidRequest([{ parameter: 'cursor', detail: "must be a cursor of this job's events" }]);
}

function digest(jobId: string, from: number): string {
  return createHash('sha256').update(`history/1/${jobId}/${from}`).digest('base64url').slice(0, 16);
}
