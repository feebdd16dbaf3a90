import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { showProgress } from '#bin/cli/progress';

function output(isTTY: boolean, columns = 100) {
  const written: string[] = [];
  return { written, terminal: { stderr: { isTTY, columns, write: (text: string) => written.push(text) }, env: {} } };
}

describe('progress', () => {
  test('is a bar on a terminal, drawn over itself and never wider than the terminal', () => {
    for (const columns of [40, 60, 100, 200]) {
      const { written, terminal } = output(true, columns);
      const progress = showProgress(terminal, 'hashing');
      progress.at(1_500, 3_000, '10 jobs/s');
      progress.end();
      const [line = ''] = written.map((text) => stripVTControlCharacters(text).replace('\r', ''));
      expect(line).toContain('1,500 of 3,000 (50%)');
      expect(line.length).toBeLessThan(Math.max(columns, 41));
      expect(written[0]).toMatch(/^\r/);
      if (columns >= 100) expect(line).toMatch(/█{15}░{15}/);
    }
  });

  test('is plain lines in a pipe, the last state among them', () => {
    const { written, terminal } = output(false);
    const progress = showProgress(terminal, 'hashing');
    progress.at(0, 3_000);
    progress.at(1_500, 3_000);
    progress.say('a worker died');
    progress.at(3_000, 3_000);
    progress.end();
    expect(written).toEqual(['hashing  0 of 3,000 (0%)\n', 'a worker died\n', 'hashing  3,000 of 3,000 (100%)\n']);
  });
});
