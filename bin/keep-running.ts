import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '#runtime/logger';
import { findEmbeddedPostgres, startEmbeddedPostgres } from '#runtime/postgres/embedded';

const LOOK_EVERY_MS = 1000;

/**
 * Starts the embedded server again whenever it is gone (killed for want of memory, say), on the port where this process
 * looks for it. Any number of processes may watch one server.
 * @returns What ends the watch; its answer resolves when a start under way is over.
 */
export function keepRunning(dataDir: string, connectionString: string, logger: Logger): () => Promise<void> {
  const stop = new AbortController();
  const { port } = new URL(connectionString);
  const look = async () => {
    if ((await findEmbeddedPostgres(dataDir)) !== null) return;
    logger.error('embedded PostgreSQL is gone; it is started again');
    await startEmbeddedPostgres({ dataDir, logger, settings: { port } });
  };
  const watching = (async () => {
    while (!stop.signal.aborted) {
      await look().catch((error: unknown) => logger.error({ err: error }, 'embedded PostgreSQL could not be started'));
      await delay(LOOK_EVERY_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  })();
  return () => {
    stop.abort();
    return watching;
  };
}
