import type { Config } from '#runtime/config';
import { findEmbeddedPostgres, startEmbeddedPostgres } from '#runtime/postgres/embedded';
import { CommandFailure } from './command-failure.ts';
import { EXIT } from './exit-codes.ts';

/**
 * Gives a command the database of this installation: DATABASE_URL, else the embedded server, which is started for as
 * long as the command takes when it does not run. Ctrl-C ends the command, but never leaves a server behind.
 */
export async function withDatabase<T>(config: Config, work: (connectionString: string) => Promise<T>): Promise<T> {
  if (config.databaseUrl !== null) return await work(config.databaseUrl);
  const running = await findEmbeddedPostgres(config.dataDir);
  if (running !== null) return await work(running.connectionString);
  const interrupt = interruption();
  const server = await startEmbeddedPostgres({ dataDir: config.dataDir });
  try {
    return await Promise.race([work(server.connectionString), interrupt.happened]);
  } finally {
    await server.stop();
    interrupt.forget();
  }
}

/** Ctrl-C as a failure of the command, so that it is cleaned up after like any other. */
function interruption(): { readonly happened: Promise<never>; forget(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  const interrupt = () => reject(new CommandFailure(EXIT.interrupted, 'Interrupted'));
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  return {
    happened: promise,
    forget: () => {
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', interrupt);
    },
  };
}
