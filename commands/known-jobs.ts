import type { RunningJob } from '#domain/job/state';
import type { JsonValue } from '#domain/json/value';
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
  keep({ job, position }: KnownJob): void {
    const before = this.#jobs.get(job.id);
    if (before) this.forget(job.id);
    // The payload never changes, and is what takes time to measure.
    const payloadBytes = before ? before.payloadBytes : roomOf(job.payload);
    const bytes = SMALLEST + payloadBytes + roomOf(job.progress) + roomOf(job.checkpoint) + roomOfError(job);
    this.#jobs.set(job.id, { job, position, bytes, payloadBytes });
    this.#bytes += bytes;
    if (this.#bytes > MAX_BYTES) this.#makeRoom();
  }

  #makeRoom(): void {
    for (const oldest of this.#jobs.keys()) {
      this.forget(oldest);
      if (this.#bytes <= MAX_BYTES) return;
    }
  }

  forget(jobId: string): void {
    const known = this.#jobs.get(jobId);
    if (!known) return;
    this.#jobs.delete(jobId);
    this.#bytes -= known.bytes;
  }
}

/** About as much as the value takes in memory: a byte for each letter of its JSON text. */
function roomOf(value: JsonValue): number {
  return value === null ? 0 : JSON.stringify(value).length;
}

function roomOfError({ lastError }: RunningJob): number {
  return lastError === null ? 0 : lastError.message.length + (lastError.stack?.length ?? 0);
}
