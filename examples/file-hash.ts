import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { defineJob } from 'holdfast';
import { z } from 'zod';

const CHUNK_BYTES = 64 * 1024;

/** Size and SHA-256 of a file. With `at_least_ms` it takes its time, as a large file on a slow disk would. */
export const hashFile = defineJob({
  type: 'file.hash',
  input: z.object({ path: z.string(), at_least_ms: z.number().int().min(0).max(60_000).default(0) }),
  async run(ctx, { path, at_least_ms }) {
    const startedAt = performance.now();
    const hash = createHash('sha256');
    let size = 0;
    const file = await open(path);
    try {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      for (;;) {
        ctx.signal.throwIfAborted();
        const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES);
        if (bytesRead === 0) break;
        hash.update(buffer.subarray(0, bytesRead));
        size += bytesRead;
      }
    } finally {
      await file.close();
    }
    const leftMs = at_least_ms - (performance.now() - startedAt);
    if (leftMs > 0) await delay(leftMs, undefined, { signal: ctx.signal });
    return { size, sha256: hash.digest('hex') };
  },
});
