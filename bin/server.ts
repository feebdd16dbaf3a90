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
type Stop = () => Promise<void>;

interface Parts {
  readonly core: Core;
  readonly reads: ReadSide;
  readonly logger: Logger;
  readonly metrics: Metrics;
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
    stops.push(database.stop);
    await startRoles(config, database, logger, stops);
    await told;
  } catch (error) {
    // Told to stop while it was starting: nothing went wrong.
    if (!stopping.signal.aborted) throw error;
  } finally {
    for (const stop of stops.reverse()) {
      await stop().catch((error: unknown) => logger.error({ err: error }, 'a part did not stop in good order'));
    }
  }
}

async function startRoles(config: Config, database: Database, logger: Logger, stops: Stop[]): Promise<void> {
  const { roles, streamPrefix } = config;
  const metrics = createMetrics({ logger });
  const { connectionString } = database;
  const core = await composeCore({ ...config, connectionString, logger, metrics, name: [...roles].join('+') });
  stops.push(core.close);
  const reads = createReadSide(core, streamPrefix);
  const parts: Parts = { core, reads, logger, metrics };
  collectReadMetrics(metrics, parts);
  if (roles.has('relay')) logger.warn('the role relay has nothing to do: no Kafka is configured');
  if (roles.has('projector')) stops.push(startProjectorRole(parts, streamPrefix, logger).stop);
  if (roles.has('scheduler'))
    stops.push(startSweeper({ commands: core.commands, sweepMs: config.sweepMs, logger }).stop);
  const url = await startFront(config, parts, stops);
  if (roles.has('worker')) {
    const worker = await startWorkerRole(parts, config, logger);
    stops.push(() => worker.stop());
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
    stops.push(api.close);
    return api.url;
  }
  const ops = await startOpsServer(facts, { host, port, logger });
  stops.push(ops.close);
  return null;
}

function readinessChecks({ core }: Parts): ReadinessCheck[] {
  return [
    { name: 'postgres', check: async () => void (await core.tables.query('SELECT 1')) },
    { name: 'log', check: async () => void (await core.log.head()) },
  ];
}

async function versionInfo({ core }: Parts): Promise<VersionInfo> {
  const { current } = await schemaState(core.tables);
  return { version: PACKAGE_VERSION, node: process.versions.node, schema: current, log: 'postgres' };
}
