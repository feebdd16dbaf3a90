import type { Metrics } from '../report/metrics.ts';
import { p50p99 } from '../report/statistics.ts';
import { between, type Timeline } from '../stage/open-loop.ts';

/** From the submit to its acknowledgement, to the handler's start, and to the acknowledged end. */
export function latencies({ sentAt, acknowledgedAt, startedAt, doneAt }: Timeline): Metrics {
  const submit = p50p99(between(sentAt, acknowledgedAt));
  const start = p50p99(between(sentAt, startedAt));
  const done = p50p99(between(sentAt, doneAt));
  return {
    submitP50Ms: submit.p50,
    submitP99Ms: submit.p99,
    startP50Ms: start.p50,
    startP99Ms: start.p99,
    doneP50Ms: done.p50,
    doneP99Ms: done.p99,
  };
}
