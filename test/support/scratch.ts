import { chmodSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** A new folder for a test's files, which every user may enter. It goes with the run; servers below it are ended then. */
export function createScratch(name: string): string {
  const folder = mkdtempSync(join(inject('scratch'), `${name}-`));
  chmodSync(folder, 0o755);
  return folder;
}
