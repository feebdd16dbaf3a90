import { createClient } from '#client/client';
import type { BulkResult } from '#client/types';
import type { Logger } from '#runtime/logger';
import { startWorker } from '#workers/worker';
import { PACKAGE_VERSION } from '../package-version.ts';
import type { Backend } from './backend.ts';
import { createHttpGateway } from './http-gateway.ts';

/** As many as the server takes in one call. */
const BULK = 1000;

/** A server elsewhere. */
export function createHttpBackend(options: { url: string; apiKey: string | null; logger: Logger }): Backend {
  const { logger } = options;
  const client = createClient(options);
  return {
    async submit({ request, idempotencyKey }) {
      const { job } = await client.submitJob(request, idempotencyKey === null ? {} : { idempotencyKey });
      return job;
    },
    async submitMany(submits) {
      const results: BulkResult[] = [];
      for (let from = 0; from < submits.length; from += BULK) {
        const items = submits.slice(from, from + BULK).map(({ request, idempotencyKey }) => ({
          ...request,
          ...(idempotencyKey !== null && { idempotency_key: idempotencyKey }),
        }));
        results.push(...(await client.submitJobs(items)).results);
      }
      return results;
    },
    get: (id, { version, asOf, waitSeconds }) =>
      client.getJob(id, {
        ...(version !== undefined && { version }),
        ...(asOf && { asOf: asOf.toISOString() }),
        ...(waitSeconds !== undefined && { wait: waitSeconds }),
      }),
    async list(query) {
      const { data, next_cursor } = await client.listJobs(query);
      return { data, nextCursor: next_cursor };
    },
    async events(id, page) {
      const { data, next_cursor } = await client.jobEvents(id, page);
      return { data, nextCursor: next_cursor };
    },
    cancel: (id, reason) => client.cancelJob(id, { reason }),
    acknowledge: (id, reason) => client.acknowledgeJob(id, { reason }),
    replay: (id, { reason, maxAttempts, payload }) =>
      client.replayJob(id, {
        reason,
        ...(maxAttempts !== null && { max_attempts: maxAttempts }),
        ...(payload && { payload }),
      }),
    reschedule: (id, changes) => client.rescheduleJob(id, changes),
    async startWorker(worker) {
      const types = worker.jobs.map(({ type }) => type);
      const gateway = createHttpGateway({ client, workerId: worker.workerId, queues: worker.queues, types });
      return startWorker({ ...worker, gateway, version: PACKAGE_VERSION, logger });
    },
    close: async () => undefined,
  };
}
