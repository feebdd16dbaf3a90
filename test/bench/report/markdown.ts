import { METRICS, type MetricName } from './metrics.ts';
import { type Ratio, ratiosOf } from './ratios.ts';
import type { Results, Run } from './results.ts';
import { scalingTable } from './scaling.ts';
import { type Spread, spread } from './statistics.ts';
import { figure, table } from './table.ts';

const NAMES = Object.keys(METRICS) as MetricName[];

/** The tables of a run: medians with their ranges, then the ratios of ours to each peer. Nothing but the JSON goes in. */
export function renderMarkdown(results: Results): string {
  const ratios = ratiosOf(results.runs);
  const sections = results.groups.flatMap(({ key, title }) => {
    const runs = results.runs.filter(({ group }) => group === key);
    if (runs.length === 0) return [];
    const compared = ratios.filter(({ group }) => group === key);
    return [`## ${title}`, figuresTable(runs), ...failures(runs), ...ratioTable(compared)];
  });
  return `${[header(results), ...sections, ...scalingTable(results.runs)].join('\n\n')}\n`;
}

function header({ machine, startedAt, commit, repetitions, scale, notes }: Results): string {
  const quick = scale === 1 ? [] : [`**A quick look at scale ${scale}: these figures do not count.**`];
  const facts = table(
    ['fact', 'value'],
    Object.entries(machine).map(([name, value]) => [name, String(value)]),
  );
  const times = repetitions === 1 ? 'once' : `${repetitions} times, interleaved`;
  const what = `Measured ${times}, from ${startedAt}, at commit ${commit}. Figures are medians, with the least and the most in brackets.`;
  return ['# Benchmark', ...quick, what, ...notes.map((note) => `**${note}**`), facts].join('\n\n');
}

function figuresTable(runs: readonly Run[]): string {
  const metrics = NAMES.filter((name) => runs.some((run) => run.metrics?.[name] !== undefined));
  const rows = entriesOf(runs).map((entry) => [
    entry,
    ...metrics.map((name) => {
      const values = runs.flatMap((run) => (run.entry === entry ? (run.metrics?.[name] ?? []) : []));
      return values.length === 0 ? '' : withRange(spread(values));
    }),
  ]);
  return table(['', ...metrics.map((name) => METRICS[name].title)], rows);
}

function failures(runs: readonly Run[]): string[] {
  return runs.flatMap(({ entry, repetition, error }) =>
    error === null ? [] : [`**${entry} failed in repetition ${repetition}: ${error.split('\n')[0]}**`],
  );
}

function ratioTable(ratios: readonly Ratio[]): string[] {
  if (ratios.length === 0) return [];
  const metrics = NAMES.filter((name) => ratios.some(({ metric }) => metric === name));
  const pairs = [...new Set(ratios.map(({ ours, peer }) => `${ours} / ${peer}`))];
  const rows = pairs.map((pair) => [
    pair,
    ...metrics.map((name) => {
      const found = ratios.find(({ ours, peer, metric }) => `${ours} / ${peer}` === pair && metric === name);
      return found ? withRange(found.ratio) : '';
    }),
  ]);
  const titles = metrics.map((name) => `${METRICS[name].title} (${METRICS[name].better} is better)`);
  return [table(['ratio', ...titles], rows)];
}

function entriesOf(runs: readonly Run[]): readonly string[] {
  return [...new Set(runs.map(({ entry }) => entry))];
}

function withRange({ median, least, most, count }: Spread): string {
  return count === 1 ? figure(median) : `${figure(median)} (${figure(least)}–${figure(most)})`;
}
