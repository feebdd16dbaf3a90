import type { Commands } from '#commands/contract';
import type { Logger } from '#runtime/logger';
import { jittered, pause } from '#runtime/timer';
import { Outage } from './outage.ts';

export interface SweeperOptions {
  readonly commands: Pick<Commands, 'sweep'>;
  /** How often to look, in milliseconds. */
  readonly sweepMs: number;
  readonly logger: Logger;
}

export interface Sweeper {
  /** Resolves when the sweep under way, if any, is over. */
  stop(): Promise<void>;
}

/**
 * Ends leases that are over, for whoever held them. Every process with a worker may sweep at once: the append decides.
 * While there was something to do it looks again at once, so a crowd of dead workers is cleared in one go.
 */
export function startSweeper({ commands, sweepMs, logger }: SweeperOptions): Sweeper {
  const stop = new AbortController();
  const outage = new Outage('sweeping expired leases', logger);
  const run = async () => {
    while (!stop.signal.aborted) {
      try {
        const moved = await commands.sweep();
        outage.succeeded();
        if (moved > 0) logger.info({ moved }, 'leases ended without an outcome');
        else await pause(jittered(sweepMs), stop.signal);
      } catch (error) {
        await pause(Math.max(sweepMs, outage.failed(error)), stop.signal);
      }
    }
  };
  const running = run();
  return {
    stop() {
      stop.abort();
      return running;
    },
  };
}
