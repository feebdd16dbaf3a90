import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface Fingerprint {
  readonly size: number;
  readonly sha256: string;
}

/** Paths of the regular files below a folder, in a fixed order; links are not followed. */
export async function listFiles(root: string, limit: number): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.sort().slice(0, limit);
}

/** Size and hash as the demo itself finds them, by another way than the job takes; null when the file is gone. */
export async function fingerprint(path: string): Promise<Fingerprint | null> {
  try {
    const bytes = await readFile(path);
    return { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** When a file was last written, in epoch milliseconds; null when it is gone. */
export async function writtenAt(path: string): Promise<number | null> {
  const found = await stat(path).catch(() => null);
  return found?.mtimeMs ?? null;
}
