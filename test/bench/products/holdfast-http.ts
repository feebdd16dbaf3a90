import { openHoldfast } from 'holdfast';
import { openHttp } from './http.ts';
import { openInspector } from './inspector.ts';
import { startLeaseLoops } from './lease-loops.ts';
import type { Product, ProductOptions } from './product.ts';

/** Of the built-in type, so that a server with the worker role runs it too. */
const TYPE = 'noop';
const LEASE_LOOPS = 4;

interface Bulk {
  readonly created: number;
}

/** Ours over HTTP, against a `holdfast server`: submits by its API, work by its lease protocol. */
export function createHoldfastHttp({ storeUrl, serverUrl, clients }: ProductOptions): Product {
  const inspector = openInspector(storeUrl);
  const open = (connections: number) => {
    if (serverUrl === null) throw new Error('this run has no server');
    return openHttp(serverUrl, connections);
  };
  return {
    async setup() {
      const holdfast = await openHoldfast({ databaseUrl: storeUrl, migrate: true });
      await holdfast.close();
    },
    async openSubmitter() {
      const http = open(clients);
      return {
        submitOne: async (payload) => void (await http.post('/v1/jobs', { type: TYPE, payload })),
        async submitMany(payloads) {
          const jobs = payloads.map((payload) => ({ type: TYPE, payload }));
          const { created } = (await http.post<Bulk>('/v1/jobs/bulk', { jobs })).body;
          if (created !== payloads.length) throw new Error('a submit was refused');
        },
        close: async () => http.close(),
      };
    },
    async startWorker(observer) {
      const http = open(LEASE_LOOPS);
      const loops = startLeaseLoops(http, LEASE_LOOPS, observer);
      return {
        async stop() {
          await loops.stop();
          http.close();
        },
      };
    },
    ...inspector,
  };
}
