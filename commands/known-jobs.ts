import type { RunningJob } from '#domain/job/state';
import { jsonBytes } from '#domain/json/value';
import type { Position } from '#log/port';

/** All that is kept together, in bytes. A job takes 1 KiB beside what users put into it. */
const MAX_BYTES = 32 * 1024 * 1024;
const SMALLEST = 1024;

export interface KnownJob {
  readonly job: RunningJob;
  readonly position: Position;
}

/**
 * Running jobs as this process last wrote them, so that a beat or an outcome needs no read and its cost does not grow with
 * the stream. Whatever is kept here may be old: the append proves the version, and a refusal is never decided on it.
 */
export class KnownJobs {
  readonly #jobs = new Map<string, KnownJob & { readonly bytes: number; readonly payloadBytes: number }>();
  #bytes = 0;

  get(jobId: string): KnownJob | undefined {
    return this.#jobs.get(jobId);
  }

  /** Remembers a job as the newest; the longest unused ones make room. */
  keep(known: KnownJob): void {
    const before = this.#jobs.get(known.job.id);
    this.forget(known.job.id);
    const { payload, progress, checkpoint, lastError } = known.job;
    // The payload never changes, and is what takes time to measure.
    const payloadBytes = before ? before.payloadBytes : jsonBytes(payload);
    const bytes =
      SMALLEST + payloadBytes + jsonBytes([progress, checkpoint, lastError?.message ?? null, lastError?.stack ?? null]);
    this.#jobs.set(known.job.id, { ...known, bytes, payloadBytes });
    this.#bytes += bytes;
    for (const oldest of this.#jobs.keys()) {
      if (this.#bytes <= MAX_BYTES) break;
      this.forget(oldest);
    }
  }

  forget(jobId: string): void {
    const known = this.#jobs.get(jobId);
    if (!known) return;
    this.#jobs.delete(jobId);
    this.#bytes -= known.bytes;
  }
}
