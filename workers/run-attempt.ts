import { MAX_PROGRESS_BYTES, MAX_RESULT_BYTES } from '#domain/job/limits';
import type { JsonValue } from '#domain/json/value';
import { timerAfter } from '#runtime/timer';
import { TimedOut } from './abort-reasons.ts';
import { type Attempt, attemptScope, type Mark } from './attempt.ts';
import type { JobContext } from './context.ts';
import type { AnyJobDefinition } from './define-job.ts';
import type { Outcome } from './gateway.ts';
import { failed, outcomeOfThrow, snoozed } from './outcomes.ts';
import { isSnooze, snooze } from './snooze.ts';
import { storable } from './storable.ts';

/** Records a beat now; see `JobContext.heartbeat`. */
export type BeatNow = (attempt: Attempt, mark: Mark) => Promise<void>;

/**
 * Runs a handler to its end. Everything that belongs to user code (its schema, its handler, its result's getters) happens
 * inside one guarded region, so no ending of it can reach the worker.
 * @returns Resolved when the handler has really ended, which may be long after its attempt was settled by a timeout.
 */
export async function runAttempt(attempt: Attempt, definition: AnyJobDefinition, beatNow: BeatNow): Promise<void> {
  const cancelTimeout = startTimeout(attempt);
  const outcome = await attemptScope.run(attempt, () => perform(attempt, definition, beatNow));
  cancelTimeout();
  if (!attempt.settle(outcome))
    attempt.log.info('the handler ended after its attempt was over; what it did is not recorded');
}

async function perform(attempt: Attempt, definition: AnyJobDefinition, beatNow: BeatNow): Promise<Outcome> {
  try {
    const input = await parseInput(attempt, definition);
    if (input.kind === 'refused') return failed(attempt, input.error, { retryable: false });
    const returned = await definition.run(createContext(attempt, beatNow), input.value as never);
    if (isSnooze(returned)) return snoozed(attempt, returned);
    const { value } = storable(returned, 'the result', MAX_RESULT_BYTES);
    return { kind: 'complete', fencingToken: attempt.fencingToken, result: value };
  } catch (thrown) {
    return outcomeOfThrow(attempt, thrown);
  }
}

type ParsedInput = { kind: 'parsed'; value: unknown } | { kind: 'refused'; error: Error };

async function parseInput({ lease }: Attempt, { input }: AnyJobDefinition): Promise<ParsedInput> {
  if (input === null) return { kind: 'parsed', value: lease.job.payload };
  const parsed = await input.safeParseAsync(lease.job.payload);
  if (parsed.success) return { kind: 'parsed', value: parsed.data };
  const problems = parsed.error.issues.map(({ path, message }) => `/${path.map(String).join('/')}: ${message}`);
  const error = Object.assign(new Error(`The payload is not what ${lease.job.type} takes: ${problems.join('; ')}`), {
    code: 'invalid-input',
  });
  // The trace would show this line, not the one that sent the payload.
  error.stack = '';
  return { kind: 'refused', error };
}

function createContext(attempt: Attempt, beatNow: BeatNow): JobContext {
  const { lease } = attempt;
  let checkpoint: JsonValue = lease.job.checkpoint;
  const beat = async (mark: Mark) => {
    await beatNow(attempt, mark);
    if (mark.checkpoint !== undefined) checkpoint = mark.checkpoint;
  };
  return {
    job: lease.job,
    attempt: lease.job.attempt,
    fencingToken: lease.fencingToken,
    get signal() {
      return attempt.signal;
    },
    get log() {
      return attempt.log;
    },
    get checkpoint() {
      return checkpoint;
    },
    heartbeat: (progress) =>
      handled(
        (async () =>
          beat(
            progress === undefined ? {} : { progress: storable(progress, 'the progress', MAX_PROGRESS_BYTES).value },
          ))(),
      ),
    saveCheckpoint: (value) =>
      handled((async () => beat({ checkpoint: storable(value, 'the checkpoint', MAX_PROGRESS_BYTES).value }))()),
    snooze,
  };
}

/** A handler need not wait for its beats; then nobody looks at a rejection, and that is no fault. */
function handled(promise: Promise<void>): Promise<void> {
  promise.catch(() => {});
  return promise;
}

function startTimeout(attempt: Attempt): () => void {
  const seconds = attempt.lease.job.timeoutSeconds;
  if (seconds === null) return () => {};
  return timerAfter(seconds * 1000, () => {
    const reason = new TimedOut(`The handler took longer than ${seconds} seconds`);
    if (attempt.settle(failed(attempt, reason, { why: 'timeout' }))) attempt.abort(reason);
  });
}
