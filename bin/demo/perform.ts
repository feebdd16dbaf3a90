import { showProgress } from '../cli/progress.ts';
import { compare } from './compare.ts';
import { disturb } from './disturb.ts';
import { listFiles } from './files.ts';
import type { Installation } from './installation.ts';
import type { DemoOptions } from './options.ts';
import { tallyFeed } from './outcomes.ts';
import type { Report } from './report.ts';
import { submitFiles, untilAllDone } from './work.ts';

/** At most so many of the files are hashed slowly, and never more than every fourth. */
const SLOW_FILES = 48;

/** The demo itself: submit, disturb, wait, and look at what came of it in three ways. */
export async function perform(installation: Installation, { root, files }: DemoOptions): Promise<Report> {
  const { client } = installation;
  const paths = await listFiles(root, files);
  const startedAt = Date.now();
  const slowFiles = paths.slice(-Math.min(SLOW_FILES, Math.floor(paths.length / 4)));
  const quickFiles = paths.slice(0, paths.length - slowFiles.length);

  const hashing = showProgress(process, 'hashing');
  hashing.say(`one job for each of ${paths.length.toLocaleString('en')} files below ${root}`);
  const submitted = submitFiles(client, quickFiles, { slow: false });
  const disturbed = disturb(installation, slowFiles, hashing);
  const rest = Promise.all([submitted, disturbed]).then(() => submitFiles(client, slowFiles, { slow: false }));
  const [, disturbance] = await Promise.all([untilAllDone(client, paths.length, hashing, rest), disturbed, rest]);
  hashing.end();
  const seconds = (Date.now() - startedAt) / 1_000;

  const tally = await tallyFeed(client);
  const comparing = showProgress(process, 'comparing');
  const comparison = await compare(client, paths, startedAt, comparing);
  comparing.end();
  return { files: paths.length, seconds, disturbance, tally, comparison };
}
