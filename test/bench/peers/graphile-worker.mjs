import { Logger, makeWorkerUtils, run, runMigrations, WorkerPreset } from 'graphile-worker';
import pg from 'pg';
import { openInspector } from './postgres.mjs';

const TASK = 'bench';
const SCHEMA = 'graphile_worker';
const logger = new Logger(() => () => {});

/*
 * Settings: `fastest` has the local queue and batched completion; `latency` fetches each job by itself, since the local
 * queue delays single jobs, and gathers completions of the same moment; `defaults` gives no option at all.
 */
const WORKER = {
  fastest: {
    concurrentJobs: 24,
    maxPoolSize: 26,
    localQueue: { size: 4000 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  },
  latency: { concurrentJobs: 24, maxPoolSize: 26, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
  defaults: {},
};

/** @type {import('../products/product.ts').CreateProduct} */
export function createProduct({ storeUrl, mode, clients }) {
  const inspector = openInspector(storeUrl);

  async function startWorker({ onStart, onDone }) {
    const running = new Map();
    const pool = mode === 'latency' ? openWatchedPool(storeUrl, running, onDone) : null;
    const runner = await run({
      ...(pool ? { pgPool: pool } : { connectionString: storeUrl }),
      logger,
      noHandleSignals: true,
      preset: { extends: [WorkerPreset], worker: WORKER[mode] },
      taskList: {
        [TASK]: (payload, { job }) => {
          if (pool) running.set(job.id, payload.n);
          onStart(payload.n);
        },
      },
    });
    return {
      async stop() {
        await runner.stop();
        await pool?.end();
      },
    };
  }

  return {
    setup: () => runMigrations({ connectionString: storeUrl, logger }),
    async openSubmitter() {
      const utils = await makeWorkerUtils({
        connectionString: storeUrl,
        logger,
        maxPoolSize: Math.min(Math.max(clients, 10), 20),
      });
      return {
        submitOne: async (payload) => void (await utils.addJob(TASK, payload)),
        submitMany: async (payloads) =>
          void (await utils.addJobs(payloads.map((payload) => ({ identifier: TASK, payload })))),
        close: async () => void (await utils.release()),
      };
    },
    startWorker,
    async isDrained() {
      const [row] = await inspector.rows(`SELECT EXISTS (SELECT FROM ${SCHEMA}._private_jobs) AS unfinished`);
      return !row.unfinished;
    },
    async audit() {
      const [row] = await inspector.rows(`SELECT count(*)::int AS left_over FROM ${SCHEMA}._private_jobs`);
      if (row.left_over > 0) throw new Error(`graphile-worker was to have deleted every job and has ${row.left_over}`);
    },
    storedBytes: () => inspector.schemaBytes(SCHEMA),
    doneTimes: async () => [],
    close: () => inspector.close(),
  };
}

/**
 * A pool that tells when a statement that deletes finished jobs has been answered. The library has no event for it
 * (`job:complete` comes before the deletion), and deleted rows cannot be asked when they went.
 */
function openWatchedPool(connectionString, running, onDone) {
  const pool = new pg.Pool({ connectionString, max: WORKER.latency.maxPoolSize });
  pool.on('error', (error) => process.stderr.write(`graphile-worker: ${error.message}\n`));
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    const query = client.query.bind(client);
    client.query = (...args) => {
      const result = query(...args);
      const { text = '', values = [] } = typeof args[0] === 'object' ? args[0] : {};
      if (/delete from \S+_private_jobs/.test(text)) {
        result.then(
          () => {
            for (const id of [values[0]].flat()) onDone(running.get(id));
          },
          () => undefined,
        );
      }
      return result;
    };
  });
  return pool;
}
