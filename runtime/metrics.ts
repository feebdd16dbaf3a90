import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Logger } from './logger.ts';

/** Fills gauges when somebody asks for the metrics; it may query the database. */
type Collector = () => Promise<void> | void;

const COLLECT_WITHIN_MS = 500;
const LABEL_LIMIT = 100;
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export type Metrics = ReturnType<typeof createMetrics>;

/** The metrics of one process, in a registry of their own. */
export function createMetrics(options: { logger?: Logger } = {}) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const collectors = collectorList(options.logger);
  return {
    ...jobMetrics(registry),
    ...readMetrics(registry),
    boundedLabel: labelBound(LABEL_LIMIT),
    onCollect: collectors.add,
    contentType: registry.contentType,
    /**
     * The Prometheus text. Answers within half a second whatever the database does: a gauge whose collector fails or is
     * late keeps its last value.
     */
    async render(): Promise<string> {
      await collectors.run();
      return await registry.metrics();
    },
  };
}

function jobMetrics(registry: Registry) {
  const counter = <T extends string>(name: string, help: string, labelNames: T[]) =>
    new Counter({ name: `holdfast_${name}`, help, labelNames, registers: [registry] });
  return {
    jobsSubmitted: counter('jobs_submitted_total', 'Jobs whose Submitted event this process appended', []),
    jobsStarted: counter('jobs_started_total', 'Attempts that this process claimed', []),
    jobsFinished: counter('jobs_finished_total', 'Attempts whose end this process appended, by outcome', ['outcome']),
    appendConflicts: counter('append_conflicts_total', 'Appends refused because the stream had moved on', []),
    staleWrites: counter('stale_writes_total', 'Writes refused because the caller no longer held the lease', []),
  };
}

function readMetrics(registry: Registry) {
  const gauge = <T extends string>(name: string, help: string, labelNames: T[]) =>
    new Gauge({ name: `holdfast_${name}`, help, labelNames, registers: [registry] });
  return {
    queueDepth: gauge('queue_depth', 'Jobs by queue and status', ['queue', 'status']),
    oldestDueAge: gauge('oldest_due_age_seconds', 'How long the oldest due job of a queue has waited', ['queue']),
    projectionLagEvents: gauge('projection_lag_events', 'Events a projection has yet to apply', ['projection']),
    projectionLagSeconds: gauge('projection_lag_seconds', 'Age of the oldest event yet to apply', ['projection']),
    httpDuration: new Histogram({
      name: 'holdfast_http_request_duration_seconds',
      help: 'Time from request to answer, by route pattern',
      labelNames: ['route', 'method', 'status'],
      buckets: SECONDS,
      registers: [registry],
    }),
  };
}

/**
 * Keeps the number of time series bounded whatever names users invent: the first names are labels of their own, all
 * later ones are `other`.
 */
function labelBound(limit: number): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.size < limit) known.add(name);
    return known.has(name) ? name : 'other';
  };
}

function collectorList(logger: Logger | undefined) {
  const collectors: Collector[] = [];
  const underWay = new Map<Collector, Promise<void>>();
  /** One that is late is not started a second time beside itself. */
  const start = (collector: Collector): Promise<void> => {
    const running = underWay.get(collector);
    if (running) return running;
    const run = (async () => collector())()
      .catch((error) => logger?.debug({ err: error }, 'a metric could not be collected'))
      .finally(() => underWay.delete(collector));
    underWay.set(collector, run);
    return run;
  };
  return {
    add: (collector: Collector): void => void collectors.push(collector),
    run: async (): Promise<void> => {
      const limit = Promise.withResolvers<void>();
      const timer = setTimeout(limit.resolve, COLLECT_WITHIN_MS);
      await Promise.race([Promise.all(collectors.map(start)), limit.promise]);
      clearTimeout(timer);
    },
  };
}
