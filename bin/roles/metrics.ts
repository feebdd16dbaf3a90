import type { Metrics } from '#runtime/metrics';
import type { Core } from '../compose.ts';
import type { ReadSide } from '../read-side.ts';

/** Fills the gauges that are read from tables whenever somebody asks for the metrics. */
export function collectReadMetrics(metrics: Metrics, { core, reads }: { core: Core; reads: ReadSide }): void {
  metrics.onCollect(async () => {
    const queues = await reads.queueViews(core.clock.now());
    metrics.queueDepth.reset();
    metrics.oldestDueAge.reset();
    for (const { name, depth, oldest_due_seconds } of queues) {
      const queue = metrics.boundedLabel(name);
      for (const [status, count] of Object.entries(depth)) metrics.queueDepth.inc({ queue, status }, count);
      metrics.oldestDueAge.set({ queue }, Math.max(oldest_due_seconds ?? 0, 0));
    }
  });
  metrics.onCollect(async () => {
    for (const { name: projection, lag_events, lag_seconds } of await reads.projectionViews(core.clock.now())) {
      metrics.projectionLagEvents.set({ projection }, lag_events);
      metrics.projectionLagSeconds.set({ projection }, lag_seconds);
    }
  });
}
