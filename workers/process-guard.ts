import type { Logger } from '#runtime/logger';
import { HandlerCrashed } from './abort-reasons.ts';
import { attemptScope } from './attempt.ts';
import { failed } from './outcomes.ts';
import { describeThrown } from './thrown.ts';

/** Workers of this process that run; the guard is there as long as one does. */
let guarded = 0;
let log: Logger | null = null;

/**
 * Keeps what escapes from a handler from ending the process and every job beside it: a promise that nobody handled, a
 * throw in a timer or an emitter's callback. It is told from whose attempt it came by the async scope it happened in. A
 * rejection is only logged, since the handler may still go its way; a throw fails the attempt, for the code that was to go
 * on cannot.
 *
 * What no attempt started ends the process as it would without the guard. `process.exit`, `process.abort` and running
 * out of memory are crashes: the lease ends, and counts as one.
 * @returns What takes the guard away.
 */
export function guardProcess(logger: Logger): () => void {
  guarded += 1;
  log ??= logger;
  if (guarded === 1) {
    process.on('unhandledRejection', onUnhandledRejection);
    process.on('uncaughtException', onUncaughtException);
  }
  return () => {
    guarded -= 1;
    if (guarded > 0) return;
    log = null;
    process.off('unhandledRejection', onUnhandledRejection);
    process.off('uncaughtException', onUncaughtException);
  };
}

function onUnhandledRejection(reason: unknown): void {
  const attempt = attemptScope.getStore();
  if (attempt) {
    const when = attempt.settled ? 'after the attempt was over' : 'while its handler runs';
    attempt.log.error({ rejection: describeThrown(reason) }, `a promise of this job was rejected unhandled ${when}`);
    return;
  }
  // Others that listen decide; without them the process ends, as is Node's default.
  if (process.listenerCount('unhandledRejection') === 1) throw reason;
}

function onUncaughtException(thrown: unknown): void {
  const attempt = attemptScope.getStore();
  if (attempt) {
    attempt.log.error({ exception: describeThrown(thrown) }, 'code of this job threw where nobody could catch it');
    if (attempt.settle(failed(attempt, thrown))) {
      attempt.abort(new HandlerCrashed('Code that the handler started threw where nobody could catch it'));
    }
    return;
  }
  if (process.listenerCount('uncaughtException') > 1) return;
  log?.fatal({ exception: describeThrown(thrown) }, 'uncaught exception');
  throw thrown;
}
