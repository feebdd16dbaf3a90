import { PgBoss } from 'pg-boss';
import { openInspector } from './postgres.mjs';

const QUEUE = 'bench';
const SCHEMA = 'pgboss';

/*
 * Settings: `fastest` fetches batches of 2,500 in two workers of the process and goes on at once while batches are full;
 * `latency` has LISTEN/NOTIFY on for the queue and the instance, and smaller batches; `defaults` gives no option at all.
 */
const WORK = {
  fastest: { batchSize: 2500, localConcurrency: 2, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
  latency: { batchSize: 100, localConcurrency: 2, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
  defaults: {},
};

/** @type {import('../products/product.ts').CreateProduct} */
export function createProduct({ storeUrl, mode, clients }) {
  const notify = mode === 'latency';
  const inspector = openInspector(storeUrl);

  async function open() {
    // Callers who wait for a connection longer than the 10 s it allows would fail where others are late.
    const tuned = {
      max: Math.min(Math.max(clients, 10), 20),
      connectionTimeoutMillis: 120_000,
      useListenNotify: notify,
    };
    const boss = new PgBoss({ connectionString: storeUrl, ...(mode === 'defaults' ? {} : tuned) });
    boss.on('error', (error) => process.stderr.write(`pg-boss: ${error.message}\n`));
    await boss.start();
    return boss;
  }
  const stop = (boss) => boss.stop({ graceful: true, timeout: 5000 });

  return {
    async setup() {
      const boss = await open();
      await boss.createQueue(QUEUE, mode === 'defaults' ? {} : { notify });
      await stop(boss);
    },
    async openSubmitter() {
      const boss = await open();
      return {
        async submitOne(payload) {
          if ((await boss.send(QUEUE, payload)) === null) throw new Error('pg-boss made no job');
        },
        async submitMany(payloads) {
          await boss.insert(
            QUEUE,
            payloads.map((data) => ({ data })),
          );
        },
        close: () => stop(boss),
      };
    },
    async startWorker({ onStart }) {
      const boss = await open();
      await boss.work(QUEUE, WORK[mode], async (jobs) => {
        for (const job of jobs) onStart(job.data.n);
      });
      return { stop: () => stop(boss) };
    },
    async isDrained() {
      const [row] = await inspector.rows(
        `SELECT EXISTS (SELECT FROM ${SCHEMA}.job WHERE name = $1 AND state < 'completed') AS unfinished`,
        [QUEUE],
      );
      return !row.unfinished;
    },
    async audit(jobs) {
      const rows = await inspector.rows(
        `SELECT state::text, count(*)::int, count(DISTINCT data->>'n')::int AS different
         FROM ${SCHEMA}.job WHERE name = $1 GROUP BY state`,
        [QUEUE],
      );
      const [row, ...others] = rows;
      if (others.length > 0 || row?.state !== 'completed' || row.count !== jobs || row.different !== jobs)
        throw new Error(`pg-boss was to have completed ${jobs} jobs and has ${JSON.stringify(rows)}`);
    },
    storedBytes: () => inspector.schemaBytes(SCHEMA),
    async doneTimes() {
      const rows = await inspector.rows(
        `SELECT (data->>'n')::int AS n, extract(epoch FROM pg_xact_commit_timestamp(xmin))::float8 * 1000 AS at
         FROM ${SCHEMA}.job WHERE name = $1 AND state = 'completed'`,
        [QUEUE],
      );
      return rows.map(({ n, at }) => [n, at]);
    },
    close: () => inspector.close(),
  };
}
