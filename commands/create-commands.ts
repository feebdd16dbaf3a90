import { claim } from './claim.ts';
import type { Commands } from './contract.ts';
import type { Deps } from './deps.ts';
import { InTurn } from './in-turn.ts';
import { KnownJobs } from './known-jobs.ts';
import { readFoldable, readHistory, readJob } from './read.ts';
import { executeKnowingRepeats } from './repeats.ts';
import { replayAsNew } from './replay-as-new.ts';
import { submit, submitAtomically } from './submit.ts';
import { sweep } from './sweep.ts';
import { workerStarted, workerStopped } from './worker-presence.ts';

/** Puts the commands together on what they need. */
export function createCommands(given: Omit<Deps, 'known'>): Commands {
  const deps: Deps = { ...given, known: new KnownJobs() };
  const turns = new InTurn();
  return {
    submit: (items, call) => submit(deps, items, call),
    submitAtomically: (items, call) => submitAtomically(deps, items, call),
    execute: (items, call) => {
      const jobIds = items.map(({ jobId }) => jobId);
      return turns.run(jobIds, () => executeKnowingRepeats(deps, items, call));
    },
    replayAsNew: (jobId, changes, call) => replayAsNew(deps, jobId, changes, call),
    claim: (request, call) => claim(deps, request, call),
    sweep: () => sweep(deps),
    read: (jobId, upTo) => readJob(deps, jobId, upTo),
    readMany: (jobIds) => readFoldable(deps, jobIds),
    history: (jobId, page) => readHistory(deps, jobId, page),
    workerStarted: (worker, call) => workerStarted(deps, worker, call),
    workerStopped: (workerId, call) => workerStopped(deps, workerId, call),
  };
}
