import type {
  Call,
  ClaimOutcome,
  ClaimRequest,
  CommandOutcome,
  Commands,
  JobAt,
  SubmitItem,
  SubmitOutcome,
} from '#commands/contract';
import { createCommands } from '#commands/create-commands';
import type { DueJobs } from '#commands/ports';
import type { JobCommand } from '#domain/job/commands';
import type { Job, RunningJob } from '#domain/job/state';
import { parseSubmit } from '#domain/job/submit';
import type { JsonObject } from '#domain/json/value';
import { streamNames } from '#domain/streams';
import type { RecordedEvent } from '#log/port';
import { LeaseRequestsTable } from '#projections/lease-requests/lease-requests';
import { newId } from '#runtime/ids';
import { openRig as openTables, type Rig as Tables } from '../projections/rig.ts';
import { ManualClock } from '../support/clock.ts';
import { WatchedLog } from './watched-log.ts';

export const ANYBODY: Call = { actor: 'anonymous' };
const KEY_WINDOW_SECONDS = 86_400;

/** One process of an installation: commands with a memory of their own on a log that all processes share. */
export interface Process {
  readonly commands: Commands;
  readonly log: WatchedLog;
  /** What `observe` was told. */
  readonly observed: { readonly written: string[]; conflicts: number; staleWrites: number };
  submit(request?: JsonObject, key?: string): Promise<SubmitOutcome>;
  /** The one job that is due, claimed. */
  claim(workerId?: string, request?: Partial<ClaimRequest>): Promise<RunningJob>;
  claimMany(workerId: string, request?: Partial<ClaimRequest>): Promise<ClaimOutcome>;
  execute(jobId: string, command: JobCommand): Promise<CommandOutcome>;
  /** The same, for a command that must be done. */
  done(jobId: string, command: JobCommand): Promise<JobAt & { readonly changed: boolean }>;
}

/** An installation on a Postgres database of its own, with a clock that stands still until a test moves it. */
export interface Rig extends Process {
  readonly clock: ManualClock;
  readonly tables: Tables;
  /** A further process on the same tables. */
  another(clock?: ManualClock, due?: DueJobs): Process;
  /** Ends the offer of a picked job at once. */
  unmark(jobId: string): Promise<void>;
  typesOf(jobId: string): Promise<string[]>;
  eventsOf(jobId: string): Promise<readonly RecordedEvent[]>;
  close(): Promise<void>;
}

export async function openRig(): Promise<Rig> {
  const tables = await openTables();
  const clock = new ManualClock();
  const another = (own = clock, due: DueJobs = tables.dueJobs) => processOn(tables, own, due);
  const first = another();
  const eventsOf = (jobId: string) => tables.log.readStream(streamNames().job(jobId));
  return {
    ...first,
    clock,
    tables,
    another,
    eventsOf,
    async unmark(jobId) {
      await tables.pool.query('UPDATE due_jobs SET offered_until = NULL WHERE job_id = $1', [jobId]);
    },
    typesOf: async (jobId) => (await eventsOf(jobId)).map(({ type }) => type),
    close: () => tables.close(),
  };
}

function processOn(tables: Tables, clock: ManualClock, due: DueJobs): Process {
  const log = new WatchedLog(tables.log);
  const observed: Process['observed'] = { written: [], conflicts: 0, staleWrites: 0 };
  const commands = createCommands({
    log,
    names: streamNames(),
    clock,
    random: () => 1,
    newId: () => newId(clock.now()),
    due,
    leaseRequests: new LeaseRequestsTable({ pool: tables.pool, dueJobs: tables.dueJobs }),
    keyWindowSeconds: KEY_WINDOW_SECONDS,
    observe: {
      written: (type) => observed.written.push(type),
      conflict: () => {
        observed.conflicts += 1;
      },
      staleWrite: () => {
        observed.staleWrites += 1;
      },
    },
  });
  const execute = async (jobId: string, command: JobCommand) =>
    first(await commands.execute([{ jobId, command }], ANYBODY));
  return {
    ...{ commands, log, observed, execute },
    submit: async (request = {}, key) => first(await commands.submit([submitItem(request, key)], ANYBODY)),
    claimMany: (workerId, request) => commands.claim(claimRequest(workerId, request), { actor: `worker:${workerId}` }),
    claim: async (workerId = 'w', request = {}) => {
      const outcome = await commands.claim(claimRequest(workerId, request), { actor: `worker:${workerId}` });
      if (outcome.kind !== 'claimed' || outcome.jobs.length !== 1)
        throw new Error(`claimed ${JSON.stringify(outcome)}`);
      return first(outcome.jobs);
    },
    done: async (jobId, command) => {
      const outcome = await execute(jobId, command);
      if (outcome.kind !== 'done') throw new Error(`${command.kind} was answered with ${JSON.stringify(outcome)}`);
      return outcome;
    },
  };
}

export function submitItem(request: JsonObject = {}, key?: string): SubmitItem {
  return { request: parseSubmit(request), sent: request, idempotencyKey: key ?? null };
}

function claimRequest(workerId: string, request: Partial<ClaimRequest> = {}): ClaimRequest {
  return { queues: null, types: null, maxJobs: 1, leaseSeconds: null, requestId: null, ...request, workerId };
}

export function first<T>(list: readonly T[]): T {
  const [only] = list;
  if (only === undefined || list.length !== 1) throw new Error(`expected one, got ${list.length}`);
  return only;
}

/** Why a command was refused. */
export function codeOf(outcome: CommandOutcome): string {
  return outcome.kind === 'rejected' ? outcome.rejection.code : outcome.kind;
}

export function complete(fencingToken: number, result: JsonObject = { ok: true }): JobCommand {
  return { kind: 'complete', fencingToken, result };
}

export function beat(fencingToken: number): JobCommand {
  return { kind: 'heartbeat', fencingToken };
}

export function fail(fencingToken: number, retryable = true): JobCommand {
  const error = { message: 'boom', code: null, stack: null };
  return { kind: 'fail', fencingToken, error, why: 'error', retryable, retryAfterSeconds: null };
}

export function release(fencingToken: number): JobCommand {
  return { kind: 'release', fencingToken, delaySeconds: 0, reason: null };
}

export const CANCEL: JobCommand = { kind: 'cancel', reason: 'not needed' };
export const REPLAY: JobCommand = { kind: 'replay', reason: null, maxAttempts: null };

/** A job that died of its first attempt. */
export async function deadJob(rig: Process, request: JsonObject = {}, key?: string): Promise<Job> {
  const { job } = await rig.submit(request, key);
  const claimed = await rig.claim();
  return (await rig.done(job.id, fail(claimed.fencingToken, false))).job;
}
