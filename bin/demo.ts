import { Scaffold } from './demo/installation.ts';
import { parseOptions } from './demo/options.ts';
import { perform } from './demo/perform.ts';
import { problemsOf, reportText, whereToLook } from './demo/report.ts';
import { untilToldToStop } from './signals.ts';

const INTERRUPTED = 130;

const options = parseOptions(process.argv);
const scaffold = new Scaffold();
const signal = untilToldToStop().then(() => 'interrupted' as const);
let exitCode = 1;
try {
  process.stderr.write('starting PostgreSQL, a server and three workers ...\n');
  const report = await Promise.race([scaffold.start().then((started) => perform(started, options)), signal]);
  if (report === 'interrupted') {
    exitCode = INTERRUPTED;
  } else {
    const problems = problemsOf(report);
    exitCode = problems.length === 0 ? 0 : 1;
    process.stdout.write(reportText(report, problems));
  }
} catch (error) {
  process.stderr.write(`demo: ${(error as Error).message}\n`);
}
// What went wrong can be looked into.
const keep = options.keep || exitCode === 1;
await scaffold.stop({ keep });
if (exitCode !== INTERRUPTED) process.stdout.write(whereToLook(scaffold.dataDir, keep));
process.exit(exitCode);
