import { expect, test } from 'vitest';
import { createMetrics } from '#runtime/metrics';

test('a scrape names every metric that dashboards rely on', async () => {
  const metrics = createMetrics();
  metrics.jobsSubmitted.inc();
  metrics.jobsStarted.inc();
  metrics.jobsFinished.inc({ outcome: 'succeeded' });
  metrics.queueDepth.set({ queue: 'default', status: 'pending' }, 7);
  metrics.oldestDueAge.set({ queue: 'default' }, 1.5);
  metrics.appendConflicts.inc();
  metrics.staleWrites.inc();
  metrics.projectionLagEvents.set({ projection: 'jobs' }, 3);
  metrics.projectionLagSeconds.set({ projection: 'jobs' }, 0.2);
  metrics.httpDuration.observe({ route: '/v1/jobs/:id', method: 'GET', status: '200' }, 0.01);
  const text = await metrics.render();
  for (const line of [
    'holdfast_jobs_submitted_total 1',
    'holdfast_jobs_started_total 1',
    'holdfast_jobs_finished_total{outcome="succeeded"} 1',
    'holdfast_queue_depth{queue="default",status="pending"} 7',
    'holdfast_oldest_due_age_seconds{queue="default"} 1.5',
    'holdfast_append_conflicts_total 1',
    'holdfast_stale_writes_total 1',
    'holdfast_projection_lag_events{projection="jobs"} 3',
    'holdfast_projection_lag_seconds{projection="jobs"} 0.2',
    'holdfast_http_request_duration_seconds_count{route="/v1/jobs/:id",method="GET",status="200"} 1',
  ]) {
    expect(text).toContain(`\n${line}\n`);
  }
  expect(text).toContain('process_cpu_seconds_total');
});

test('10,000 invented queue names make a hundred series and one called other', async () => {
  const metrics = createMetrics();
  for (let index = 0; index < 10_000; index += 1) {
    metrics.oldestDueAge.set({ queue: metrics.boundedLabel(`queue-${index}`) }, index);
  }
  const series = (await metrics.render()).match(/^holdfast_oldest_due_age_seconds\{/gm);
  expect(series).toHaveLength(101);
  expect(metrics.boundedLabel('queue-0')).toBe('queue-0');
  expect(metrics.boundedLabel('queue-9999')).toBe('other');
});

test('a gauge is filled when somebody asks', async () => {
  const metrics = createMetrics();
  let depth = 0;
  metrics.onCollect(async () => {
    depth += 1;
    metrics.queueDepth.set({ queue: 'a', status: 'pending' }, depth);
  });
  await metrics.render();
  expect(await metrics.render()).toContain('holdfast_queue_depth{queue="a",status="pending"} 2\n');
});

test('a collector that hangs or fails costs half a second at most, and its gauge keeps the last value', async () => {
  const metrics = createMetrics();
  const { promise: never, resolve: comeBack } = Promise.withResolvers<void>();
  let started = 0;
  metrics.queueDepth.set({ queue: 'a', status: 'pending' }, 5);
  metrics.onCollect(() => {
    started += 1;
    return never;
  });
  metrics.onCollect(() => {
    throw new Error('the database is down');
  });
  const begin = performance.now();
  const texts = [await metrics.render(), await metrics.render()];
  expect(performance.now() - begin).toBeLessThan(2_000);
  expect(texts[1]).toContain('holdfast_queue_depth{queue="a",status="pending"} 5\n');
  expect(started).toBe(1);
  comeBack();
  await metrics.render();
  await metrics.render();
  expect(started).toBeGreaterThan(1);
});
