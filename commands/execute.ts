import type { JobCommand } from '#domain/job/commands';
import { type Decision, decide } from '#domain/job/decide';
import type { JobEventType } from '#domain/job/events';
import { outcomeEventId } from '#domain/job/identity';
import type { Job } from '#domain/job/state';
import type { JsonValue } from '#domain/json/value';
import { AppendRefused, type AppendResult } from '#log/port';
import { appendEach } from './append-each.ts';
import type { Call, CommandItem, CommandOutcome, JobAt } from './contract.ts';
import type { Deps } from './deps.ts';
import { TooContended } from './errors.ts';
import { type Move, move } from './new-events.ts';
import { readJobs } from './read-jobs.ts';
import { digest, sha256 } from './sha256.ts';

/**
 * So many refused appends in a row cannot be chance: each needs another writer to move the same job in between. The caller
 * is told to come back rather than kept waiting.
 */
const MAX_REFUSALS = 50;

const MISMATCH = { kind: 'rejected', rejection: { code: 'version-mismatch' } } as const;

/** A job to decide on; `read` tells that it was folded from the log just now, and is null when it was only remembered. */
interface Known {
  readonly job: Job;
  readonly read: JobAt | null;
}

/** A command, with the job as its due row tells it where there is one. */
export interface Seeded extends CommandItem {
  readonly candidate?: Job;
}

/** A command on its way. */
interface Task {
  readonly item: CommandItem;
  readonly call: Call;
  readonly eventId: (index: number) => string;
  known: Known | null;
  /** What it was folded to when it was last decided on: where a second look begins. */
  base: Job | null;
  /** Its events are in the log, by a call that could not be sure; the job has yet to be read for the answer. */
  written: boolean;
  /** How many of its appends were refused since others came before. */
  refusals: number;
  outcome: CommandOutcome | null;
}

/** Decided, and waiting for the log's word. */
interface Attempt {
  readonly task: Task;
  readonly move: Move;
}

/**
 * The shell of every command on an existing job, for many at once: read, fold, decide, append, return.
 *
 * A refused append is no refusal of the command: the job is read again and the command decided again. A command is refused
 * only on a state that was read, never on one that was remembered.
 */
export async function execute(deps: Deps, items: readonly Seeded[], call: Call): Promise<CommandOutcome[]> {
  const tasks = items.map((item) => taskOf(deps, item, call));
  for (;;) {
    const open = firstOfEachJob(tasks);
    if (open.length === 0) return tasks.map(({ outcome }) => outcome as CommandOutcome);
    await readUnknown(deps, open);
    const attempts = open.map((task) => decideOn(deps, task)).filter((attempt) => attempt !== null);
    await appendAll(deps, attempts);
  }
}

function taskOf(deps: Deps, item: Seeded, call: Call): Task {
  const remembered = item.candidate ?? (isReport(item.command) ? deps.known.get(item.jobId)?.job : undefined);
  const known = remembered ? { job: remembered, read: null } : null;
  return { item, call, eventId: eventIdOf(deps, item), known, base: null, written: false, refusals: 0, outcome: null };
}

/** Commands on one job run in turn, so only the first unanswered one of each goes into a round. */
function firstOfEachJob(tasks: readonly Task[]): Task[] {
  const taken = new Set<string>();
  return tasks.filter(({ outcome, item: { jobId } }) => !outcome && !taken.has(jobId) && taken.add(jobId));
}

async function readUnknown(deps: Deps, tasks: readonly Task[]): Promise<void> {
  const unknown = tasks.filter(({ known }) => known === null);
  if (unknown.length === 0) return;
  const jobs = await readJobs(
    deps,
    unknown.map(({ item: { jobId }, base }) => ({ jobId, base })),
  );
  for (const task of unknown) {
    const at = jobs.get(task.item.jobId);
    if (at instanceof Error) task.outcome = { kind: 'failed', error: at };
    else if (at) task.known = { job: at.job, read: at };
    else task.outcome = { kind: 'not-found' };
  }
}

/** Decides one task: an attempt to append, or null when it is answered or has to be read first. */
function decideOn(deps: Deps, task: Task): Attempt | null {
  if (!task.known) return null;
  const { job, read } = task.known;
  if (task.written && read) return answer(task, { kind: 'done', changed: true, ...read });
  const { command, ifVersion } = task.item;
  const recordedAt = Math.max(deps.clock.now(), job.updatedAt);
  const decision: Decision | typeof MISMATCH =
    ifVersion !== undefined && ifVersion !== job.version
      ? MISMATCH
      : decide(job, command, { now: recordedAt, random: deps.random() });
  if (decision.kind === 'events') {
    const { id: jobId } = job;
    const stream = deps.names.job(jobId);
    const call = isReport(command) ? asHolder(job, task.call) : task.call;
    const { events } = decision;
    return { task, move: move({ stream, jobId, before: job, events, call, recordedAt, eventId: task.eventId }) };
  }
  if (!read) return readAgain(deps, task);
  if (decision.kind === 'nothing') return answer(task, { kind: 'done', changed: false, ...read });
  return answer(task, { kind: 'rejected', rejection: decision.rejection, ...read });
}

/** A report is the word of the worker that holds the lease, whoever brings it. */
function asHolder(job: Job, call: Call): Call {
  if (job.status !== 'running') return call;
  const actor = `worker:${job.lease.workerId}`;
  return call.actor === actor ? call : { ...call, actor };
}

async function appendAll(deps: Deps, attempts: readonly Attempt[]): Promise<void> {
  const results = await appendEach(
    deps.log,
    attempts.map(({ move: { append } }) => append),
  );
  attempts.forEach((attempt, index) => {
    settle(deps, attempt, results[index] as AppendResult | AppendRefused);
  });
}

function settle(deps: Deps, { task, move: { job, append } }: Attempt, result: AppendResult | AppendRefused): void {
  if (result instanceof AppendRefused) {
    answer(task, { kind: 'failed', error: result });
    return;
  }
  if (result.kind === 'conflict') {
    deps.observe.conflict();
    task.refusals += 1;
    if (task.refusals >= MAX_REFUSALS) answer(task, { kind: 'failed', error: new TooContended() });
    else readAgain(deps, task);
    return;
  }
  if (result.repeated) {
    // The jitter and the time of the call that wrote it may differ from these, and the job may have moved on since.
    task.written = true;
    readAgain(deps, task);
    return;
  }
  const at = { job, position: result.position };
  remember(deps, at);
  for (const event of append.events) deps.observe.written(event.type as JobEventType, job);
  answer(task, { kind: 'done', changed: true, ...at });
}

/** Keeps what a worker will report on next. */
export function remember(deps: Deps, { job, position }: JobAt): void {
  if (job.status === 'running') deps.known.keep({ job, position });
  else deps.known.forget(job.id);
}

function readAgain(deps: Deps, task: Task): null {
  deps.known.forget(task.item.jobId);
  task.base = task.known?.job ?? null;
  task.known = null;
  return null;
}

function answer(task: Task, outcome: CommandOutcome): null {
  task.outcome = outcome;
  return null;
}

/** A worker's word about its attempt, under its fencing token. */
export function isReport(command: JobCommand): command is Extract<JobCommand, { fencingToken: number }> {
  return 'fencingToken' in command;
}

/**
 * The ids of the events a command will write, the same in every round. Outcomes have derived ones, so that the same report
 * sent again is known again; everything else, a heartbeat among it, is new each time it is asked for.
 */
export function eventIdOf(deps: Deps, { jobId, command }: CommandItem): (index: number) => string {
  if (isReport(command) && command.kind !== 'heartbeat') {
    const { kind, fencingToken, ...body } = command;
    const bodyDigest = digest(body as unknown as JsonValue);
    return (index) => outcomeEventId(sha256, { jobId, fencingToken, kind, bodyDigest, index });
  }
  const ids: string[] = [];
  return (index) => {
    while (ids.length <= index) ids.push(deps.newId());
    return ids[index] as string;
  };
}
