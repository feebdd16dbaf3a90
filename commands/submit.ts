import type { JobEventType } from '#domain/job/events';
import { keyedJobId } from '#domain/job/identity';
import { isFinished, type Job } from '#domain/job/state';
import { decideSubmit, SUBMITTED_BY_API } from '#domain/job/submit';
import type { AppendResult, AtomicAppendResult } from '#log/port';
import type { AtomicSubmitOutcome, Call, JobAt, SubmitItem, SubmitOutcome } from './contract.ts';
import type { Deps } from './deps.ts';
import { NotSupportedByLog, TooContended } from './errors.ts';
import { execute } from './execute.ts';
import { type Move, move } from './new-events.ts';
import { readJobs } from './read-jobs.ts';
import { digest, sha256 } from './sha256.ts';

/** A key that was released so often needs as many looks; far more than that in one call is somebody's mistake. */
const MAX_ROUNDS = 10_000;

/** A submit on its way. Its id is settled by the key, or made up; the append at "must not exist" decides who was first. */
export interface SubmitTask {
  readonly item: SubmitItem;
  readonly fingerprint: string;
  readonly eventId: string;
  /** How often the key had been used before; moves on past released uses. */
  use: number;
  jobId: string;
  outcome: SubmitOutcome | null;
}

/** Submits jobs, each judged alone. */
export async function submit(deps: Deps, items: readonly SubmitItem[], call: Call): Promise<SubmitOutcome[]> {
  const tasks = items.map((item) => submitTask(deps, item));
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const open = firstOfEachId(tasks);
    if (open.length === 0) return tasks.map(({ outcome }) => outcome as SubmitOutcome);
    const moves = open.map((task) => submission(deps, task, call));
    const results = await deps.log.append(moves.map(({ append }) => append));
    await readTaken(deps, call, settleSubmits(deps, open, moves, results));
  }
  throw new TooContended(
    'The idempotency key was released and used again and again while this call looked for a free use',
  );
}

/**
 * Submits all jobs in one transaction, or none of them. A key that was used before for the same request counts as
 * submitted; one that was used for another request keeps everything out.
 */
export async function submitAtomically(
  deps: Deps,
  items: readonly SubmitItem[],
  call: Call,
): Promise<AtomicSubmitOutcome> {
  const tasks = items.map((item) => submitTask(deps, item));
  const clashes = clashesWithin(tasks);
  if (clashes.length > 0) return { kind: 'refused', conflicts: clashes };
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const open = firstOfEachId(tasks);
    const moves = open.map((task) => submission(deps, task, call));
    const result = await appendAllOrNone(deps, moves);
    const taken = result.kind === 'refused' ? result.conflicts.map((index) => open[index] as SubmitTask) : [];
    if (result.kind === 'appended') settleSubmits(deps, open, moves, result.results);
    await readTaken(deps, call, taken);
    const conflicts = tasks.flatMap(({ outcome }, index) =>
      outcome?.kind === 'conflict' ? [{ index, job: outcome.job }] : [],
    );
    if (conflicts.length > 0) return { kind: 'refused', conflicts };
    if (tasks.every(({ outcome }) => outcome)) {
      return { kind: 'written', outcomes: tasks.map(({ outcome }) => outcome as SubmitOutcome) };
    }
  }
  throw new TooContended('The idempotency keys were taken by others again and again while this call tried');
}

function appendAllOrNone(deps: Deps, moves: readonly Move[]): Promise<AtomicAppendResult> {
  if (!deps.log.appendAtomically) throw new NotSupportedByLog('This log cannot write many jobs in one transaction');
  return deps.log.appendAtomically(moves.map(({ append }) => append));
}

function submitTask(deps: Deps, item: SubmitItem): SubmitTask {
  const { idempotencyKey } = item;
  const jobId = idempotencyKey === null ? deps.newId() : keyedJobId(sha256, idempotencyKey, 0);
  return { item, fingerprint: digest(item.sent), eventId: deps.newId(), use: 0, jobId, outcome: null };
}

/** Two items with one key run in turn: the second finds the first. */
function firstOfEachId(tasks: readonly SubmitTask[]): SubmitTask[] {
  const taken = new Set<string>();
  return tasks.filter(({ outcome, jobId }) => !outcome && !taken.has(jobId) && taken.add(jobId));
}

/** Items that use a key of an earlier item for another request. */
function clashesWithin(tasks: readonly SubmitTask[]): { index: number; job: null }[] {
  const first = new Map<string, string>();
  return tasks.flatMap(({ jobId, fingerprint }, index) => {
    const holder = first.get(jobId);
    if (holder === undefined) first.set(jobId, fingerprint);
    return holder !== undefined && holder !== fingerprint ? [{ index, job: null }] : [];
  });
}

function submission(deps: Deps, task: SubmitTask, call: Call): Move {
  const now = deps.clock.now();
  const { request, idempotencyKey, origin } = task.item;
  const event = decideSubmit(request, {
    fingerprint: task.fingerprint,
    idempotencyKey,
    keyUse: idempotencyKey === null ? null : task.use,
    origin: origin ?? SUBMITTED_BY_API,
    now,
  });
  const { jobId } = task;
  const stream = deps.names.job(jobId);
  return move({ stream, jobId, before: null, events: [event], call, recordedAt: now, eventId: () => task.eventId });
}

/** Answers those that went in. @returns Those whose stream exists already. */
function settleSubmits(
  deps: Deps,
  tasks: readonly SubmitTask[],
  moves: readonly Move[],
  results: readonly AppendResult[],
): SubmitTask[] {
  return tasks.filter((task, index) => {
    const result = results[index] as AppendResult;
    if (result.kind !== 'appended') return true;
    const { job } = moves[index] as Move;
    task.outcome = { kind: 'created', job, position: result.position };
    deps.observe.written('Submitted' satisfies JobEventType, job);
    return false;
  });
}

/** Reads the jobs that hold the keys of these submits, and answers the submits or moves them to the key's next use. */
async function readTaken(deps: Deps, call: Call, tasks: readonly SubmitTask[]): Promise<void> {
  if (tasks.length === 0) return;
  const jobs = await readJobs(deps, tasks);
  for (const task of tasks) {
    const holder = jobs.get(task.jobId);
    if (holder instanceof Error) throw holder;
    if (holder) await judgeTaken(deps, call, task, holder);
  }
}

async function judgeTaken(deps: Deps, call: Call, task: SubmitTask, holder: JobAt): Promise<void> {
  if (!holder.job.keyReleased && windowIsOver(deps, holder.job)) {
    // At the version whose window was found to be over, and judged anew in the next round: the key is free by then, or the
    // job was replayed a moment ago, and lives or has ended again just now.
    const { id, version } = holder.job;
    await execute(deps, [{ jobId: id, command: { kind: 'release-key' }, ifVersion: version }], call);
    return;
  }
  if (holder.job.keyReleased) {
    task.use += 1;
    task.jobId = keyedJobId(sha256, task.item.idempotencyKey as string, task.use);
    return;
  }
  const same = holder.job.fingerprint === task.fingerprint;
  task.outcome = { kind: same ? 'replayed' : 'conflict', ...holder };
}

function windowIsOver(deps: Deps, job: Job): boolean {
  return isFinished(job) && job.finishedAt + deps.keyWindowSeconds * 1000 <= deps.clock.now();
}
