import { mayBecomeDue } from '#domain/job/events';
import type { StreamNames } from '#domain/streams';
import type { EventLog, RecordedEvent } from '#log/port';

/** What workers in this process want to hear of the log at once, from one subscription for all of them. */
export interface JobFeed {
  /** Calls back with the job of every `CancelRequested` until the signal aborts. @throws What ends the subscription. */
  watchCancels(onRequested: (jobId: string) => void, signal: AbortSignal): Promise<void>;
  /** Calls back when there may be new work, until what it returns is called. */
  subscribeToWork(onWork: () => void): () => void;
}

/** The subscription exists while a cancel watch does, and begins at the log's head: a wake-up only saves time. */
export function createJobFeed(log: EventLog, names: StreamNames): JobFeed {
  const onWork = new Set<() => void>();
  const onCancel = new Set<(jobId: string) => void>();
  let running: Promise<void> | null = null;
  let stop = new AbortController();

  const follow = async (signal: AbortSignal) => {
    const after = await log.head();
    for await (const { events } of log.subscribe({ after, signal })) {
      if (events.some(({ type }) => mayBecomeDue(type))) for (const wake of onWork) wake();
      for (const jobId of cancelled(events, names)) for (const tell of onCancel) tell(jobId);
    }
  };

  const start = () => {
    stop = new AbortController();
    running = follow(stop.signal).finally(() => {
      running = null;
    });
    return running;
  };

  return {
    async watchCancels(onRequested, signal) {
      onCancel.add(onRequested);
      const followed = running ?? start();
      const aborted = new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      try {
        await Promise.race([followed, aborted]);
      } finally {
        onCancel.delete(onRequested);
        if (onCancel.size === 0) stop.abort();
      }
    },
    subscribeToWork(wake) {
      onWork.add(wake);
      return () => onWork.delete(wake);
    },
  };
}

function cancelled(events: readonly RecordedEvent[], names: StreamNames): string[] {
  return events
    .filter(({ type }) => type === 'CancelRequested')
    .map(({ stream }) => names.jobIdOf(stream))
    .filter((jobId) => jobId !== null);
}
