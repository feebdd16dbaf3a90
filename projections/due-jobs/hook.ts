import type { Job } from '#domain/job/state';
import { streamNames } from '#domain/streams';
import type { StreamAppend } from '#log/port';
import { int4Array, uuidArray } from '#runtime/postgres/arrays';
import { type DueRow, dueChange } from './change.ts';
import { DUE_COLUMN_TYPES, dueColumns } from './columns.ts';

/** What the Postgres log takes to write a table in the append's own statement (`log/postgres/hook.ts`). */
export interface DueJobsHook {
  readonly functionName: string;
  readonly parameterTypes: readonly string[];
  params(appends: readonly StreamAppend[]): readonly unknown[];
}

/**
 * Keeps `due_jobs` in step with the log: the append that moves a job moves its due row, or neither happens. An append to
 * a job must bring the job it leads to in `folded`; one without it throws, since it would leave the table behind.
 */
export function dueJobsHook(options: { readonly streamPrefix: string }): DueJobsHook {
  const names = streamNames(options.streamPrefix);
  return {
    functionName: 'due_jobs_follow_append',
    parameterTypes: ['integer', ...DUE_COLUMN_TYPES, 'integer[]', 'uuid[]', 'integer[]'],
    params(appends) {
      const rows: DueRow[] = [];
      const [rowOrds, goneIds, goneOrds]: [number[], string[], number[]] = [[], [], []];
      for (const [ord, append] of appends.entries()) {
        const jobId = names.jobIdOf(append.stream);
        if (jobId === null) continue;
        const row = dueChange(foldedJob(append, jobId));
        if (row) {
          rows.push(row);
          rowOrds.push(ord);
        } else {
          goneIds.push(jobId);
          goneOrds.push(ord);
        }
      }
      const entering = rows.filter(({ version }) => version === 0).length;
      return [entering, ...dueColumns(rows), int4Array(rowOrds), uuidArray(goneIds), int4Array(goneOrds)];
    },
  };
}

function foldedJob(append: StreamAppend, jobId: string): Job {
  const job = append.folded as Job | undefined;
  const version = append.expectedVersion + append.events.length;
  if (job === undefined) throw new TypeError(`an append to ${append.stream} must say what it folds to`);
  if (job.id !== jobId || job.version !== version) {
    throw new TypeError(`an append to ${append.stream} up to version ${version} folds to ${job.id} at ${job.version}`);
  }
  return job;
}
