import { composeCore } from '#bin/compose';
import { type Holdfast, openHoldfast } from '#bin/library';
import { createReadSide } from '#bin/read-side';
import { startApiRole } from '#bin/roles/api';
import { startProjectorRole } from '#bin/roles/projector';
import { createLogger } from '#runtime/logger';
import { createMetrics } from '#runtime/metrics';
import { startSweeper } from '#workers/sweeper';
import { createTestDatabase } from '../support/database.ts';

export type Mode = 'in process' | 'over HTTP';

export interface LibraryRig {
  readonly holdfast: Holdfast;
  readonly connectionString: string;
  close(): Promise<void>;
}

const logger = createLogger({ level: 'silent', name: 'library test' });

/** The library on a database of the test's own: in process, or through a server that listens. */
export async function openLibrary(mode: Mode): Promise<LibraryRig> {
  const database = await createTestDatabase();
  const { connectionString } = database;
  if (mode === 'in process') {
    const holdfast = await openHoldfast({ databaseUrl: connectionString, pollMs: 100, sweepMs: 100, logger });
    const close = async () => {
      await holdfast.close();
      await database.drop();
    };
    return { holdfast, connectionString, close };
  }
  const server = await startServer(connectionString);
  const holdfast = await openHoldfast({ url: server.url, logger });
  const close = async () => {
    await holdfast.close();
    await server.close();
    await database.drop();
  };
  return { holdfast, connectionString, close };
}

async function startServer(connectionString: string) {
  const metrics = createMetrics();
  const core = await composeCore({
    connectionString,
    schema: 'holdfast',
    streamPrefix: '',
    keyWindowSeconds: 86_400,
    pollMs: 100,
    logger,
    metrics,
    name: 'library test',
  });
  const reads = createReadSide(core, '');
  const projector = startProjectorRole({ core, reads }, '', logger);
  const sweeper = startSweeper({ commands: core.commands, sweepMs: 100, logger });
  const api = await startApiRole(
    { core, reads },
    { host: '127.0.0.1', port: 0, adminKey: null, streamPrefix: '', pollMs: 100 },
    {
      logger,
      metrics,
      checks: [],
      version: { version: '0.0.0', node: process.versions.node, schema: 1, log: 'postgres' },
    },
  );
  const close = async () => {
    await api.close();
    await sweeper.stop();
    await projector.stop();
    await core.close();
  };
  return { url: api.url, close };
}
