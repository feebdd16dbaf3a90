import type { Comparison } from './compare.ts';
import type { Disturbance } from './disturb.ts';
import type { Tally } from './outcomes.ts';

export interface Report {
  readonly files: number;
  /** From the first submit to the last outcome. */
  readonly seconds: number;
  readonly disturbance: Disturbance;
  readonly tally: Tally;
  readonly comparison: Comparison;
}

const LISTED = 10;

/** Everything that is not as promised, a line each. */
export function problemsOf({ files, disturbance, tally, comparison }: Report): string[] {
  const problems = [...comparison.differences];
  if (tally.jobs !== files) problems.push(`the log has ${tally.jobs} jobs for ${files} files`);
  if (tally.odd.length > 0) problems.push(`${tally.odd.length} jobs have not exactly one outcome: ${tally.odd[0]} ...`);
  if (tally.expiries < disturbance.interrupted.length) {
    problems.push(`${disturbance.interrupted.length} jobs were interrupted, but only ${tally.expiries} leases expired`);
  }
  const ends = tally.succeeded + tally.expiries + tally.otherEnds;
  if (tally.starts !== ends) problems.push(`${tally.starts} attempts were started, but ${ends} ended`);
  if (disturbance.staleWrites === 0) problems.push('no stale write was refused: the frozen worker was not caught');
  return problems;
}

/** What the demo proved, in one screen. */
export function reportText(report: Report, problems: readonly string[]): string {
  const { files, seconds, disturbance, tally, comparison } = report;
  const ofEach = tally.succeeded === tally.jobs ? ', one for each job' : ` of ${number(tally.jobs)} jobs`;
  const rows: [string, string][] = [
    ['files', `${number(files)}, ${number(Math.round(comparison.bytes / 1_048_576))} MiB`],
    ['accepted outcomes', `${number(tally.succeeded)}${ofEach}, in ${number(tally.events)} events`],
    [
      'starts',
      `${number(tally.starts)} = ${number(tally.succeeded)} outcomes + ${number(tally.expiries)} expired leases`,
    ],
    ['crashes survived', `${number(tally.expiries)} leases of a killed and a frozen worker, all run again`],
    ['stale writes refused', `${number(disturbance.staleWrites)}, of the worker that was frozen and woke`],
    ['results', `${number(comparison.compared)} sizes and hashes equal to a plain walk of the tree`],
    ['speed', `${number(Math.round(files / seconds))} jobs/s over ${seconds.toFixed(1)} s, the outage included`],
  ];
  if (tally.otherEnds > 0) rows.push(['other starts', `${number(tally.otherEnds)} failed or were handed back`]);
  if (comparison.changed > 0) rows.push(['not compared', `${number(comparison.changed)} files changed meanwhile`]);
  const lines = rows.map(([name, value]) => `  ${name.padEnd(22)}${value}`);
  const more = problems.length > LISTED ? [`  ... and ${problems.length - LISTED} more`] : [];
  const verdict =
    problems.length === 0
      ? ['', 'Everything as promised.']
      : ['', 'NOT as promised:', ...problems.slice(0, LISTED), ...more];
  return `\n${[...lines, ...verdict].join('\n')}\n`;
}

/** How to look at what the demo left. */
export function whereToLook(dataDir: string, isKept: boolean): string {
  if (!isKept) return 'The data is gone. Keep it with: npm run demo -- --keep\n';
  return [
    `The data is kept in ${dataDir}. Look at it with:`,
    `  HOLDFAST_DATA_DIR=${dataDir} npm start`,
    '  npx holdfast jobs list --tag slow',
    '  npx holdfast jobs history <id>',
    '',
  ].join('\n');
}

function number(value: number): string {
  return value.toLocaleString('en');
}
