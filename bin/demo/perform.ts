import { type Progress, showProgress } from '../cli/progress.ts';
import { compare } from './compare.ts';
import { catchTwo, type Disturbance, disturb } from './disturb.ts';
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
  const disturbed = submitAndDisturb(installation, { quickFiles, slowFiles }, hashing);
  const [disturbance] = await Promise.all([disturbed, untilAllDone(client, paths.length, hashing, disturbed)]);
  hashing.end();
  const seconds = (Date.now() - startedAt) / 1_000;

  const tally = await tallyFeed(client);
  const comparing = showProgress(process, 'comparing');
  const comparison = await compare(client, paths, startedAt, comparing);
  comparing.end();
  return { files: paths.length, seconds, disturbance, tally, comparison };
}

/**
 * Half of the work is there when two workers are caught, the other half comes while one is dead and one is frozen: a
 * server that is busy with a thousand submits answers too late to catch anybody.
 */
async function submitAndDisturb(
  installation: Installation,
  { quickFiles, slowFiles }: { readonly quickFiles: readonly string[]; readonly slowFiles: string[] },
  progress: Progress,
): Promise<Disturbance> {
  const { client } = installation;
  const half = Math.floor(quickFiles.length / 2);
  await submitFiles(client, quickFiles.slice(0, half), { slow: false });
  const caught = await catchTwo(installation, slowFiles);
  const [disturbance] = await Promise.all([
    disturb(client, caught, progress),
    submitFiles(client, [...quickFiles.slice(half), ...slowFiles], { slow: false }),
  ]);
  return disturbance;
}
