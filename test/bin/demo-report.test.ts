import { describe, expect, test } from 'vitest';
import { problemsOf, type Report, reportText } from '#bin/demo/report';

const good: Report = {
  files: 100,
  seconds: 10,
  disturbance: { interrupted: ['a', 'b'], staleWrites: 1 },
  tally: { jobs: 100, events: 304, starts: 102, expiries: 2, otherEnds: 0, succeeded: 100, odd: [] },
  comparison: { compared: 100, bytes: 2 ** 20, changed: 0, differences: [] },
};

describe('the report of the demo', () => {
  test('finds nothing wrong when everything is as promised', () => {
    expect(problemsOf(good)).toEqual([]);
    expect(reportText(good, [])).toContain('Everything as promised.');
  });

  test.each<[string, Partial<Report>]>([
    ['a result differs', { comparison: { ...good.comparison, differences: ['x: differs'] } }],
    ['a job is missing', { tally: { ...good.tally, jobs: 99 } }],
    ['a job has two outcomes', { tally: { ...good.tally, odd: ['a'] } }],
    ['an interrupted job left no trace', { tally: { ...good.tally, expiries: 1, otherEnds: 1 } }],
    ['an attempt has no end', { tally: { ...good.tally, starts: 103 } }],
    ['no stale write was refused', { disturbance: { ...good.disturbance, staleWrites: 0 } }],
  ])('says so when %s', (_what, change) => {
    const report = { ...good, ...change };
    const problems = problemsOf(report);
    expect(problems).toHaveLength(1);
    expect(reportText(report, problems)).toContain('NOT as promised');
  });
});
