import type { Logger } from '#runtime/logger';
import { backoffMs, pause } from '#runtime/timer';
import { type AppendResult, LogUnavailable } from '../port.ts';
import type { SendFlush } from './append.ts';
import type { EncodedAppend } from './encoding.ts';
import { isPassing } from './failures.ts';
import type { QueuedAppend } from './flush-queue.ts';

/** What becomes of one append: its result, an outage with unknown outcome, or the database's refusal of its data. */
export type AppendOutcome =
  | { readonly kind: 'known'; readonly result: AppendResult }
  | { readonly kind: 'unavailable'; readonly error: LogUnavailable }
  | { readonly kind: 'refused'; readonly error: unknown };

export interface FlushOptions {
  readonly send: SendFlush;
  readonly logger: Logger;
  /** How long an unknown outcome is asked after. */
  readonly patienceMs: number;
  /** How long one attempt may stay without an answer. */
  readonly attemptMs: number;
}

const BACKOFF = { firstMs: 20, longestMs: 500 };

/**
 * Sends a flush until the outcome of each append is known. When the database refuses it for its data, it is sent again
 * in halves until the culprit stands alone, so that one bad append takes nobody down with it.
 */
export async function flushAppends(
  options: FlushOptions,
  flush: readonly QueuedAppend<AppendOutcome>[],
): Promise<void> {
  try {
    const results = await sendUntilKnown(
      options,
      flush.map(({ encoded }) => encoded),
    );
    flush.forEach((queued, ord) => {
      queued.settle({ kind: 'known', result: results[ord] as AppendResult });
    });
  } catch (error) {
    if (error instanceof LogUnavailable) {
      for (const queued of flush) queued.settle({ kind: 'unavailable', error });
    } else if (flush.length === 1) {
      flush[0]?.settle({ kind: 'refused', error });
    } else {
      const half = Math.ceil(flush.length / 2);
      await flushAppends(options, flush.slice(0, half));
      await flushAppends(options, flush.slice(half));
    }
  }
}

/**
 * The same ids are sent each time, so an attempt that was written without our learning of it answers `repeated`.
 * @throws LogUnavailable when patience ran out; otherwise whatever the database says
 */
export async function sendUntilKnown(
  { send, logger, patienceMs, attemptMs }: FlushOptions,
  encoded: readonly EncodedAppend[],
): Promise<readonly AppendResult[]> {
  const deadline = performance.now() + patienceMs;
  for (let failures = 0; ; failures += 1) {
    try {
      return await send(encoded, attemptMs);
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (failures === 0)
        logger.warn({ err: error, appends: encoded.length }, 'an append got no answer; it is repeated');
      const pauseMs = backoffMs(failures, BACKOFF);
      if (performance.now() + pauseMs > deadline) {
        throw new LogUnavailable('the outcome of an append could not be learned in time', { cause: error });
      }
      await pause(pauseMs);
    }
  }
}
