import type { ReadinessCheck, VersionInfo } from '#api/ports';
import type { Config } from '#runtime/config';
import { createLogger, type Logger } from '#runtime/logger';
import { createMetrics, type Metrics } from '#runtime/metrics';
import { schemaState } from '#runtime/postgres/migrate';
import { startSweeper } from '#workers/sweeper';
import { type Core, composeCore } from './compose.ts';
import { type Database, openDatabase } from './database.ts';
import { startOpsServer } from './ops-server.ts';
import { PACKAGE_VERSION } from './package-version.ts';
import { createReadSide, type ReadSide } from './read-side.ts';
import { startApiRole } from './roles/api.ts';
import { collectReadMetrics } from './roles/metrics.ts';
import { startProjectorRole } from './roles/projector.ts';
import { startWorkerRole } from './roles/worker.ts';
import { untilToldToStop } from './signals.ts';

/** What a process is made of once it runs; stopped from the last to the first. */
interface Stop {
  readonly what: string;
  readonly stop: () => Promise<void>;
  readonly withinMs: number;
}

const STOP_WITHIN_MS = 5_000;
/** A server that ends in good order writes down what it has in memory. */
const DATABASE_STOPS_WITHIN_MS = 30_000;
/** Beyond its own grace a worker takes a moment to hand its jobs back. */
const WORKER_MARGIN_MS = 10_000;

function part(what: string, stop: () => Promise<void>, withinMs = STOP_WITHIN_MS): Stop {
  return { what, stop, withinMs };
}

interface Parts {
  readonly core: Core;
  readonly reads: ReadSide;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Aborted once the process was told to stop. */
  readonly stopping: AbortSignal;
}

/**
 * Runs the roles of a process until it is told to stop, then stops them in the order that loses nothing: workers take no
 * more and finish while the API still answers their handlers, then the API, then what both stand on.
 */
export async function runServer(config: Config): Promise<void> {
  const logger = createLogger({ level: config.logLevel, name: 'holdfast' });
  const stopping = new AbortController();
  const told = untilToldToStop().then((signal) => {
    logger.info({ signal }, 'stopping');
    stopping.abort();
  });
  const stops: Stop[] = [];
  try {
    const database = await openDatabase(config, logger, stopping.signal);
    stops.push(part('database', database.stop, DATABASE_STOPS_WITHIN_MS));
    await startRoles(config, { database, logger, stopping: stopping.signal }, stops);
    await told;
  } catch (error) {
    // Told to stop while it was starting: nothing went wrong.
    if (!stopping.signal.aborted) throw error;
  } finally {
    await stopAll(stops.reverse(), logger);
  }
}

/**
 * A part that waits for a database that has fallen silent is left behind: what it still had to say is in the log or ends
 * with a lease, and whoever told us to stop will not wait for ever.
 */
async function stopAll(stops: readonly Stop[], logger: Logger): Promise<void> {
  for (const { what, stop, withinMs } of stops) {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error(`no end within ${withinMs} ms`)), withinMs);
    await Promise.race([stop(), late.promise]).catch((error: unknown) =>
      logger.error({ err: error, part: what }, 'a part did not stop in good order'),
    );
    clearTimeout(timer);
  }
}

async function startRoles(
  config: Config,
  { database, logger, stopping }: { database: Database; logger: Logger; stopping: AbortSignal },
  stops: Stop[],
): Promise<void> {
  const { roles, streamPrefix } = config;
  const metrics = createMetrics({ logger });
  const { connectionString } = database;
  const core = await composeCore({ ...config, connectionString, logger, metrics, name: [...roles].join('+') });
  stops.push(part('log', core.close));
  const reads = createReadSide(core, streamPrefix);
  const parts: Parts = { core, reads, logger, metrics, stopping };
  collectReadMetrics(metrics, parts);
  if (roles.has('relay')) logger.warn('the role relay has nothing to do: no Kafka is configured');
  if (roles.has('projector')) stops.push(part('projector', startProjectorRole(parts, streamPrefix, logger).stop));
  if (roles.has('scheduler')) {
    const sweeper = startSweeper({ commands: core.commands, sweepMs: config.sweepMs, logger });
    stops.push(part('scheduler', sweeper.stop));
  }
  const url = await startFront(config, parts, stops);
  if (roles.has('worker')) {
    const worker = await startWorkerRole(parts, config, logger);
    stops.push(part('worker', () => worker.stop(), config.shutdownSeconds * 1000 + WORKER_MARGIN_MS));
  }
  process.stdout.write(`holdfast ready ${url ?? [...roles].join(',')}\n`);
}

/** The API or, in a process without it, health and metrics alone. @returns The API's URL. */
async function startFront(config: Config, parts: Parts, stops: Stop[]): Promise<string | null> {
  const { host, opsPort: port, roles } = config;
  const { logger, metrics } = parts;
  const facts = { logger, metrics, checks: readinessChecks(parts), version: await versionInfo(parts) };
  if (roles.has('api')) {
    const api = await startApiRole(parts, config, facts);
    stops.push(part('api', api.close));
    return api.url;
  }
  const ops = await startOpsServer(facts, { host, port, logger });
  stops.push(part('health', ops.close));
  return null;
}

function readinessChecks({ core, stopping }: Parts): ReadinessCheck[] {
  return [
    {
      // From the signal on, so that nothing new is sent here while workers finish what they have.
      name: 'process',
      check: async () => {
        if (stopping.aborted) throw new Error('is told to stop');
      },
    },
    { name: 'postgres', check: async () => void (await core.tables.query('SELECT 1')) },
    { name: 'log', check: async () => void (await core.log.head()) },
  ];
}

async function versionInfo({ core }: Parts): Promise<VersionInfo> {
  const { current } = await schemaState(core.tables);
  return { version: PACKAGE_VERSION, node: process.versions.node, schema: current, log: 'postgres' };
}
