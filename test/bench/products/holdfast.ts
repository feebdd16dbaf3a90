import { defineJob, openHoldfast } from 'holdfast';
import { openInspector } from './inspector.ts';
import type { Payload, Product, ProductOptions } from './product.ts';

const TYPE = 'bench';

/** Ours by the library, in process, on the database. Every setting is the default, whatever the mode. */
export function createHoldfast({ storeUrl }: ProductOptions): Product {
  const inspector = openInspector(storeUrl);
  const open = () => openHoldfast({ databaseUrl: storeUrl });
  return {
    async setup() {
      const holdfast = await openHoldfast({ databaseUrl: storeUrl, migrate: true });
      await holdfast.close();
    },
    async openSubmitter() {
      const holdfast = await open();
      const job = { type: TYPE };
      return {
        submitOne: async (payload) => void (await holdfast.submit(job, { ...payload })),
        async submitMany(payloads) {
          const results = await holdfast.submitMany(payloads.map((payload) => ({ job, payload: { ...payload } })));
          if (!results.every(({ outcome }) => outcome === 'created')) throw new Error('a submit was refused');
        },
        close: () => holdfast.close(),
      };
    },
    async startWorker({ onStart }) {
      const holdfast = await open();
      const run = (_: unknown, input: object) => onStart((input as Payload).n);
      await holdfast.startWorker({ jobs: [defineJob({ type: TYPE, run })] });
      return { stop: () => holdfast.close() };
    },
    ...inspector,
  };
}
