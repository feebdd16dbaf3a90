import type { Client } from '#client/client';
import type { Progress } from '../cli/progress.ts';
import { fingerprint, writtenAt } from './files.ts';
import { readResults } from './outcomes.ts';

/** Results beside what a plain walk of the same tree finds. */
export interface Comparison {
  readonly compared: number;
  readonly bytes: number;
  /** Files that somebody wrote to while the demo ran: nobody can say which answer is right. */
  readonly changed: readonly string[];
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
  const changed: string[] = [];
  const differences: string[] = [];
  let bytes = 0;
  for await (const { path, found } of readResults(client)) {
    if (!open.delete(path)) differences.push(`${path}: a job that was not asked for, or a second one`);
    const wanted = await fingerprint(path);
    if (wanted === null || ((await writtenAt(path)) ?? startedAt) >= startedAt) {
      changed.push(path);
    } else if (found?.size !== wanted.size || found.sha256 !== wanted.sha256) {
      differences.push(`${path}: the job says ${JSON.stringify(found)}, the walk ${JSON.stringify(wanted)}`);
    } else {
      bytes += wanted.size;
    }
    progress.at(paths.length - open.size, paths.length);
  }
  for (const path of open) differences.push(`${path}: no job`);
  return { compared: paths.length - open.size - changed.length, bytes, changed, differences };
}
