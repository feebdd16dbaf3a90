import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readOptions } from './options.ts';
import { HOLDFAST, peersIn } from './products/catalog.ts';
import { renderMarkdown } from './report/markdown.ts';
import { ratiosOf } from './report/ratios.ts';
import { mergeResults, type Results, type Run } from './report/results.ts';
import { p50p99, quantile, spread } from './report/statistics.ts';
import { figure } from './report/table.ts';
import { schedule } from './schedule.ts';
import { handledOnce, requireAll } from './stage/handled-once.ts';
import { lagsOf } from './stage/lag-prober.ts';
import { largestBacklog } from './stage/open-loop.ts';
import { tenths } from './workloads/w6-backlog.ts';

const run = (entry: string, repetition: number, jobsPerSecond: number | null, group = 'w1'): Run => ({
  ...{ group, entry, repetition, ours: entry === 'Holdfast', loadAverage: 0, seconds: 1 },
  metrics: jobsPerSecond === null ? null : { jobsPerSecond },
  error: jobsPerSecond === null ? 'Error: 3 jobs never ran\n  at ...' : null,
});

const results = (runs: readonly Run[]): Results => ({
  ...{
    machine: { cores: 2 },
    startedAt: '2026-11-30T12:00:00.000Z',
    commit: 'abc',
    repetitions: 3,
    scale: 1,
    notes: [],
  },
  ...{ groups: [{ key: 'w1', title: 'Bulk submit' }], runs },
});

test('quantiles lie between neighbours, and the median of an even count is their mean', () => {
  expect(quantile([1, 2, 3, 10], 0.5)).toBe(2.5);
  expect(spread([3, 1, 2])).toEqual({ median: 2, least: 1, most: 3, count: 3 });
  expect(p50p99(Float64Array.from({ length: 101 }, (_, index) => 100 - index))).toEqual({ p50: 50, p99: 99 });
});

test('a ratio is taken within each repetition before the median is', () => {
  const runs = [run('Holdfast', 1, 100), run('peer', 1, 50), run('Holdfast', 2, 10), run('peer', 2, 10)];
  const more = [run('Holdfast', 3, 90), run('peer', 3, 30)];
  const [ratio, ...others] = ratiosOf([...runs, ...more]);
  expect(others).toEqual([]);
  expect(ratio).toMatchObject({ ours: 'Holdfast', peer: 'peer', metric: 'jobsPerSecond' });
  expect(ratio?.ratio).toEqual({ median: 2, least: 1, most: 3, count: 3 });
});

test('a repetition in which either side failed has no ratio, and the failure is shown', () => {
  const runs = [run('Holdfast', 1, null), run('peer', 1, 50), run('Holdfast', 2, 30), run('peer', 2, 10)];
  expect(ratiosOf(runs).map(({ ratio }) => ratio)).toEqual([{ median: 3, least: 3, most: 3, count: 1 }]);
  expect(renderMarkdown(results(runs))).toContain('**Holdfast failed in repetition 1: Error: 3 jobs never ran**');
});

test('the tables have medians with their range, and ratios that say which way is good', () => {
  const runs = [run('Holdfast', 1, 30_000), run('peer', 1, 20_000), run('Holdfast', 2, 28_000), run('peer', 2, 20_000)];
  const text = renderMarkdown(results(runs));
  expect(text).toContain('| Holdfast | 29,000 (28,000–30,000) |');
  expect(text).toContain('| ratio | jobs/s (higher is better) |');
  expect(text).toContain('| Holdfast / peer | 1.45 (1.4–1.5) |');
  expect(text).not.toContain('do not count');
  expect(renderMarkdown({ ...results(runs), scale: 0.1 })).toContain('do not count');
});

test('one product beside itself is compared within a repetition too', () => {
  const runs = [run('Holdfast', 1, 10, 'w3'), run('Holdfast', 1, 13, 'w7'), run('Holdfast', 2, 26, 'w7')];
  expect(renderMarkdown(results(runs))).toContain('| two worker processes / one | Holdfast | 1.3 | 1.3–1.3 |');
});

test('files of several runs become one, and repetitions are counted on', () => {
  const merged = mergeResults([results([run('Holdfast', 1, 1)]), results([run('Holdfast', 1, 2)])]);
  expect(merged.runs.map(({ repetition }) => repetition)).toEqual([1, 2]);
  expect(merged.groups).toHaveLength(1);
});

test('figures keep the digits that count', () => {
  expect([123_456.7, 99.96, 12.34, 1.234, 0.01234].map(figure)).toEqual(['123,457', '100', '12.3', '1.23', '0.0123']);
});

test('every repetition runs everything once, and another product goes first', () => {
  const entries = [HOLDFAST, ...peersIn('fastest')];
  const group = { key: 'w1', title: '', entries, clients: 1, limitSeconds: 1, run: async () => ({}) };
  const planned = schedule([group], 3);
  expect(planned).toHaveLength(15);
  const first = [1, 2, 3].map((repetition) => planned.find((each) => each.repetition === repetition)?.entry.title);
  expect(new Set(first).size).toBe(3);
});

test('a run in which a job was lost, or run by two workers, is refused', () => {
  const handled = (...starts: number[]) => ({
    starts: Uint8Array.from(starts),
    startedAt: Float64Array.from(starts, (times, n) => times * (n + 1)),
    doneAt: new Float64Array(starts.length),
  });
  expect([...handledOnce([handled(1, 0, 1), handled(0, 1, 0)]).startedAt]).toEqual([1, 2, 3]);
  expect(() => requireAll(handledOnce([handled(1, 0, 1), handled(0, 1, 0)]))).not.toThrow();
  expect(() => requireAll(handledOnce([handled(1, 0, 0), handled(0, 1, 0)]))).toThrow('1 of 3 jobs never ran');
  expect(() => handledOnce([handled(1, 1, 0), handled(0, 1, 1)])).toThrow('1 jobs were started more than once');
  expect(() => handledOnce([handled(2, 1, 1)])).toThrow('started more than once');
});

test('the largest backlog counts what was sent and not done', () => {
  const sentAt = Float64Array.of(0, 1, 2, 10);
  expect(largestBacklog({ sentAt, doneAt: Float64Array.of(5, 1.5, 6, 11) })).toBe(2);
  expect(largestBacklog({ sentAt, doneAt: Float64Array.of(20, 20, 20, 20) })).toBe(4);
});

test('the lag of an event lasts until the first look that finds it in the table', () => {
  const commits = [1, 2, 3].map((position) => ({ position, at: position * 10 }));
  const sightings = [
    ...[
      { position: 0, at: 11 },
      { position: 2, at: 24 },
    ],
    ...[{ position: 3, at: 31 }],
  ];
  expect([...lagsOf(commits, sightings)]).toEqual([14, 4, 1]);
  expect(() => lagsOf(commits, sightings.slice(0, 2))).toThrow('event 3 was never seen');
});

test('tenths are rates of the starts, whatever their order', () => {
  const startedAt = Float64Array.from({ length: 1_001 }, (_, index) => 1_000 + index + Math.max(0, index - 900));
  const { firstTenthPerSecond, lastTenthPerSecond, lastTenthByFirst } = tenths({ startedAt: startedAt.reverse() });
  expect(firstTenthPerSecond).toBeCloseTo(1_000);
  expect(lastTenthPerSecond).toBeCloseTo(500);
  expect(lastTenthByFirst).toBeCloseTo(0.5);
});

test('the command line names what it does not know', () => {
  expect(readOptions(['--workloads', 'w1,w3', '--peers', 'none'])).toMatchObject({
    workloads: ['w1', 'w3'],
    peers: [],
  });
  expect(() => readOptions(['--workloads', 'w99'])).toThrow('w99 is none of w1');
  expect(() => readOptions(['--scale', 'tiny'])).toThrow('--scale takes a number above 0, not tiny');
});

test('nobody installs the peers who does not run the bench', () => {
  const root = JSON.parse(readFileSync('package.json', 'utf8'));
  const peers = JSON.parse(readFileSync('test/bench/peers/package.json', 'utf8'));
  expect(root).not.toHaveProperty('workspaces');
  for (const name of ['pg-boss', 'graphile-worker', 'bullmq']) {
    expect(peers.dependencies).toHaveProperty(name);
    expect(existsSync(`node_modules/${name}`)).toBe(false);
  }
  expect(readFileSync('test/bench/peers/package-lock.json', 'utf8')).not.toContain('"resolved"');
});

test('the published figures are what their JSON files say', () => {
  const folder = new URL('../../docs/performance/', import.meta.url);
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .toSorted();
  const published = files.map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Results);
  expect(readFileSync(new URL('figures.md', folder), 'utf8')).toBe(renderMarkdown(mergeResults(published)));
});
