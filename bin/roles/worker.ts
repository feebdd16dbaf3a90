import type { Config } from '#runtime/config';
import type { Logger } from '#runtime/logger';
import { createHttpJob } from '#workers/builtin/http';
import { noop } from '#workers/builtin/noop';
import type { AnyJobDefinition } from '#workers/define-job';
import { loadHandlers, requireDistinctTypes } from '#workers/handlers';
import { createLocalGateway } from '#workers/local-gateway';
import { makeWorkerId, startWorker, type Worker, type WorkerOptions } from '#workers/worker';
import type { Core } from '../compose.ts';
import { PACKAGE_VERSION } from '../package-version.ts';
import type { ReadSide } from '../read-side.ts';
import { createJobFeed } from './job-feed.ts';

type WorkerConfig = Pick<Config, 'handlers' | 'httpAllow' | 'queues' | 'concurrency' | 'pollMs' | 'shutdownSeconds'>;

/** Runs the built-in job types and those of `HOLDFAST_HANDLERS`. @throws HandlersError */
export async function startWorkerRole(
  { core, reads }: { core: Core; reads: ReadSide },
  config: WorkerConfig,
  logger: Logger,
): Promise<Worker> {
  const jobs = await definitions(config, core);
  return startWorkerOn({ core, reads }, { ...config, jobs, logger });
}

/** Starts a worker of any jobs on the parts of this process. */
export function startWorkerOn(
  { core, reads }: { core: Core; reads: ReadSide },
  options: Omit<WorkerOptions, 'workerId' | 'gateway' | 'version' | 'subscribeToWork'> & { readonly workerId?: string },
): Worker {
  const { commands, clock, log, names } = core;
  const { jobs, queues, workerId = makeWorkerId() } = options;
  const types = jobs.map(({ type }) => type);
  const feed = createJobFeed(log, names);
  const gateway = createLocalGateway({
    commands,
    clock,
    workerId,
    queues,
    types,
    watchCancels: feed.watchCancels,
    touch: ({ stopping }) => reads.touchWorkers([{ workerId, queues, types, stopping, at: clock.now() }]),
  });
  return startWorker({
    ...options,
    workerId,
    gateway,
    version: PACKAGE_VERSION,
    subscribeToWork: feed.subscribeToWork,
  });
}

async function definitions({ handlers, httpAllow }: WorkerConfig, { clock }: Core): Promise<AnyJobDefinition[]> {
  const own = handlers === null ? [] : await loadHandlers(handlers);
  const jobs = [...own, noop, createHttpJob({ allow: httpAllow, clock })];
  requireDistinctTypes(jobs, 'HOLDFAST_HANDLERS together with the built-in job types');
  return jobs;
}
