import { readFileSync } from 'node:fs';
import { loadProduct } from '../products/catalog.ts';
import type { Product, Submitter } from '../products/product.ts';
import type { ChildCalls } from './calls.ts';
import { instant } from './instant.ts';
import { submitBulk, submitClosed, submitOpen } from './load.ts';
import { Tally } from './tally.ts';

/** One product in this process, as a load generator, a worker, or the one who looks whether all is done. */
export function openSession(): ChildCalls {
  let product: Product | null = null;
  let submitter: Submitter | null = null;
  let worker: { stop(): Promise<void> } | null = null;
  let tally = new Tally(0, 0);
  const ours = () => product ?? missing('product');
  const submits = () => submitter ?? missing('submitter');

  return {
    async create(name, options) {
      await product?.close();
      product = (await loadProduct(name))(options);
    },
    setup: () => ours().setup(),
    async openSubmitter() {
      submitter = await ours().openSubmitter();
    },
    submitBulk: (plan) => submitBulk(submits(), plan),
    submitClosed: (plan) => submitClosed(submits(), plan),
    submitOpen: (plan) => submitOpen(submits(), plan),
    async expect(first, jobs) {
      tally = new Tally(first, jobs);
    },
    async startWorker() {
      const begin = instant();
      const observer = { onStart: (n: number) => tally.onStart(n), onDone: (n: number) => tally.onDone(n) };
      worker = await ours().startWorker(observer);
      return begin;
    },
    handledCount: async () => tally.count,
    handled: async () => tally.handled(),
    async stopWorker() {
      await worker?.stop();
      worker = null;
    },
    isDrained: () => ours().isDrained(),
    audit: (jobs) => ours().audit(jobs),
    storedBytes: () => ours().storedBytes(),
    doneTimes: () => ours().doneTimes(),
    usage: async () => ({ cpuSeconds: cpuSeconds(), peakRssBytes: peakRssBytes() }),
    async close() {
      await worker?.stop();
      await submitter?.close();
      await product?.close();
    },
  };
}

function missing(what: string): never {
  throw new Error(`this process has no ${what} yet`);
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function peakRssBytes(): number {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kibibytes) * 1024;
}
