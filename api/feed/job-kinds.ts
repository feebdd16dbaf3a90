import type { FeedLog, StoredEvent } from '../ports.ts';
import type { JobKind } from './cloud-event.ts';

const MAX_KEPT = 10_000;

/** Type and queue of jobs, which only `Submitted` tells. The jobs seen last are kept. */
export class JobKinds {
  readonly #log: Pick<FeedLog, 'readStream'>;
  readonly #kinds = new Map<string, JobKind>();

  constructor(log: Pick<FeedLog, 'readStream'>) {
    this.#log = log;
  }

  /** Undefined for a stream that does not begin as a job does. */
  async of(event: StoredEvent): Promise<JobKind | undefined> {
    const { stream } = event;
    const known = this.#kinds.get(stream);
    if (known) {
      this.#keep(stream, known);
      return known;
    }
    const first = event.version === 0 ? event : (await this.#log.readStream(stream, { limit: 1 }))[0];
    if (first?.type !== 'Submitted') return undefined;
    const { type, queue } = first.data as JobKind;
    this.#keep(stream, { type, queue });
    return { type, queue };
  }

  #keep(stream: string, kind: JobKind): void {
    this.#kinds.delete(stream);
    this.#kinds.set(stream, kind);
    if (this.#kinds.size > MAX_KEPT) this.#kinds.delete(this.#kinds.keys().next().value as string);
  }
}
