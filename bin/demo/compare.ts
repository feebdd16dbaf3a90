import type { Client } from '#client/client';
import type { Progress } from '../cli/progress.ts';
import { fingerprint, writtenAt } from './files.ts';
import { type JobResult, readResults } from './outcomes.ts';

/** Results beside what a plain walk of the same tree finds. */
export interface Comparison {
  readonly compared: number;
  readonly bytes: number;
  /** Files that somebody wrote to while the demo ran: nobody can say which answer is right. */
  readonly changed: number;
  /** What is wrong, a line each; empty is what everybody hopes for. */
  readonly differences: readonly string[];
}

/** @param startedAt - Epoch milliseconds; files written later do not count. */
export async function compare(
  client: Client,
  paths: readonly string[],
  startedAt: number,
  progress: Progress,
): Promise<Comparison> {
  const open = new Set(paths);
  const verdicts: Verdict[] = [];
  for await (const page of readResults(client)) {
    for (const { path } of page) {
      if (!open.delete(path)) verdicts.push(wrong(`${path}: a job that was not asked for, or a second one`));
    }
    verdicts.push(...(await Promise.all(page.map((result) => judge(result, startedAt)))));
    progress.at(paths.length - open.size, paths.length);
  }
  for (const path of open) verdicts.push(wrong(`${path}: no job`));
  return {
    compared: verdicts.filter(({ kind }) => kind === 'equal').length,
    bytes: verdicts.reduce((sum, verdict) => sum + (verdict.kind === 'equal' ? verdict.bytes : 0), 0),
    changed: verdicts.filter(({ kind }) => kind === 'changed').length,
    differences: verdicts.flatMap((verdict) => (verdict.kind === 'wrong' ? [verdict.difference] : [])),
  };
}

type Verdict =
  | { readonly kind: 'equal'; readonly bytes: number }
  | { readonly kind: 'changed' }
  | { readonly kind: 'wrong'; readonly difference: string };

async function judge({ path, found }: JobResult, startedAt: number): Promise<Verdict> {
  const wanted = await fingerprint(path);
  if (wanted === null || ((await writtenAt(path)) ?? startedAt) >= startedAt) return { kind: 'changed' };
  if (found?.size === wanted.size && found.sha256 === wanted.sha256) return { kind: 'equal', bytes: wanted.size };
  return wrong(`${path}: the job says ${JSON.stringify(found)}, the walk ${JSON.stringify(wanted)}`);
}

function wrong(difference: string): Verdict {
  return { kind: 'wrong', difference };
}
