import { once } from 'node:events';
import { showProgress } from './cli/progress.ts';
import { compare } from './demo/compare.ts';
import { disturb } from './demo/disturb.ts';
import { listFiles } from './demo/files.ts';
import { type Installation, Scaffold } from './demo/installation.ts';
import { type DemoOptions, parseOptions } from './demo/options.ts';
import { tallyFeed } from './demo/outcomes.ts';
import { printReport, problemsOf, type Report } from './demo/report.ts';
import { submitFiles, untilAllDone } from './demo/work.ts';
import { untilToldToStop } from './signals.ts';

/** At most so many of the files are slow ones. */
const SLOW_FILES = 48;

const options = parseOptions(process.argv);
const scaffold = new Scaffold();
const interrupted = untilToldToStop().then(() => null);
try {
  const report = await Promise.race([perform(options), interrupted]);
  if (report === null) {
    process.exitCode = 130;
  } else {
    const problems = problemsOf(report);
    printReport(process.stdout, report, problems, options);
    process.exitCode = problems.length === 0 ? 0 : 1;
  }
} catch (error) {
  process.stderr.write(`demo: ${(error as Error).message}\nThe logs of its processes are in ${scaffold.dataDir}\n`);
  process.exitCode = 1;
} finally {
  await scaffold.stop({ keep: options.keep || process.exitCode === 1 });
}
