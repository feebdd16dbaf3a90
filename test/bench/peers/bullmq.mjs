import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';

const QUEUE = 'bench';

/*
 * Settings: `fastest` and `latency` run many handlers at once; `defaults` gives no option at all. Finished jobs are kept,
 * as they are by default; they are what the bytes of a finished job are made of.
 */
const WORK = { fastest: { concurrency: 100 }, latency: { concurrency: 50 }, defaults: {} };

/** @type {import('../products/product.ts').CreateProduct} */
export function createProduct({ storeUrl, mode }) {
  const { hostname: host, port } = new URL(storeUrl);
  const connection = { host, port: Number(port) };
  const open = async () => {
    const queue = new Queue(QUEUE, { connection });
    await queue.waitUntilReady();
    return queue;
  };
  let inspected = null;
  const inspect = async () => {
    inspected ??= open();
    return await inspected;
  };
  const counts = async () => (await inspect()).getJobCounts();

  return {
    setup: async () => {},
    async openSubmitter() {
      const queue = await open();
      return {
        submitOne: async (payload) => void (await queue.add(QUEUE, payload)),
        submitMany: async (payloads) => void (await queue.addBulk(payloads.map((data) => ({ name: QUEUE, data })))),
        close: () => queue.close(),
      };
    },
    async startWorker({ onStart, onDone }) {
      const handler = async (job) => onStart(job.data.n);
      const worker = new Worker(QUEUE, handler, {
        connection: { ...connection, maxRetriesPerRequest: null },
        ...WORK[mode],
      });
      worker.on('completed', (job) => onDone(job.data.n));
      worker.on('error', (error) => process.stderr.write(`bullmq: ${error.message}\n`));
      await worker.waitUntilReady();
      return { stop: () => worker.close() };
    },
    async isDrained() {
      const { completed, failed, ...unfinished } = await counts();
      return Object.values(unfinished).every((count) => count === 0);
    },
    async audit(jobs) {
      const { completed, ...others } = await counts();
      if (completed !== jobs || Object.values(others).some((count) => count > 0))
        throw new Error(
          `BullMQ was to have completed ${jobs} jobs and has ${JSON.stringify({ completed, ...others })}`,
        );
    },
    async storedBytes() {
      const redis = new Redis(storeUrl);
      try {
        return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
      } finally {
        redis.disconnect();
      }
    },
    doneTimes: async () => [],
    close: async () => void (await (await inspected)?.close()),
  };
}
