import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';

export interface DemoOptions {
  /** At most so many files; all without it. */
  readonly files: number;
  /** Whether the data stays when the demo is over. */
  readonly keep: boolean;
  /** Absolute path of the tree whose files are hashed. */
  readonly root: string;
}

/** Fewer would be done before two workers can be caught in the middle of one. */
const FEWEST_FILES = 50;

export function parseOptions(argv: readonly string[]): DemoOptions {
  const program = new Command('demo')
    .description(
      'Hashes every file below node_modules, one job a file, while one worker is killed and another is frozen; ' +
        'then compares every result with a walk of its own.',
    )
    .option('--files <number>', 'hash only so many files', fileCount, Number.POSITIVE_INFINITY)
    .option('--keep', 'keep the data, to look at it afterwards', false)
    .parse(argv);
  const { files, keep } = program.opts<{ files: number; keep: boolean }>();
  return { files, keep, root: fileURLToPath(new URL('../../node_modules', import.meta.url)) };
}

function fileCount(text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < FEWEST_FILES) {
    throw new InvalidArgumentError(`It must be a whole number from ${FEWEST_FILES}.`);
  }
  return Number(text);
}
