import type { Logger } from '#runtime/logger';
import { migrate } from '#runtime/postgres/migrate';
import { startSweeper } from '#workers/sweeper';
import { type Core, composeCore } from '../compose.ts';
import { checkSchema } from '../database.ts';
import { createReadSide, type ReadSide } from '../read-side.ts';
import { startProjectorRole } from '../roles/projector.ts';
import { startWorkerOn } from '../roles/worker.ts';
import type { Backend } from './backend.ts';
import { localJobs } from './local-jobs.ts';
import { localReads } from './local-reads.ts';

export interface LocalOptions {
  readonly connectionString: string;
  readonly schema: string;
  readonly streamPrefix: string;
  readonly migrate: boolean;
  readonly keyWindowSeconds: number;
  readonly pollMs: number;
  readonly sweepMs: number;
  readonly logger: Logger;
}

/**
 * The scheduler in this process, on its database. Nothing runs in the background until a worker is started.
 * @throws SchemaBehind when the schema is older than this version and `migrate` was not asked for.
 */
export async function openLocalBackend(options: LocalOptions): Promise<Backend> {
  const { connectionString, schema, logger } = options;
  if (options.migrate) await migrate({ connectionString, schema });
  await checkSchema(connectionString, schema);
  const core = await composeCore({ ...options, name: 'holdfast library' });
  const reads = createReadSide(core, options.streamPrefix);
  const helpers = new Helpers(core, reads, options);
  return {
    ...localJobs(core.commands, core.clock),
    ...localReads(core, reads),
    async startWorker(settings) {
      helpers.join();
      const worker = startWorkerOn({ core, reads }, { ...settings, logger });
      let stopped: Promise<void> | null = null;
      return {
        workerId: worker.workerId,
        running: () => worker.running(),
        stop() {
          stopped ??= worker.stop().then(() => helpers.leave());
          return stopped;
        },
      };
    },
    close: () => core.close(),
  };
}

/** The projector and the sweeper, which run as long as a worker of this process does. */
class Helpers {
  readonly #start: () => { stop(): Promise<void> }[];
  #workers = 0;
  #running: { stop(): Promise<void> }[] = [];

  constructor(core: Core, reads: ReadSide, { streamPrefix, sweepMs, logger }: LocalOptions) {
    this.#start = () => [
      startProjectorRole({ core, reads }, streamPrefix, logger),
      startSweeper({ commands: core.commands, sweepMs, logger }),
    ];
  }

  join(): void {
    this.#workers += 1;
    if (this.#workers === 1) this.#running = this.#start();
  }

  async leave(): Promise<void> {
    this.#workers -= 1;
    if (this.#workers > 0) return;
    const running = this.#running;
    this.#running = [];
    await Promise.all(running.map((helper) => helper.stop()));
  }
}
