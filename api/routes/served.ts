import type { ApiContext } from '../context.ts';

const KNOWN_FOR_MS = 1000;
const MAX_KNOWN = 1000;
/** The answer to a submit is not held up by a hint. */
const TELL_WITHIN_MS = 200;

export interface QueueAndType {
  readonly queue: string;
  readonly type: string;
}

/** Whether a live worker takes jobs of a queue and type. A hint for a header: asked at most once a second, never in the way. */
export function servedTypes({ reads, clock }: Pick<ApiContext, 'reads' | 'clock'>) {
  const known = new Map<string, { readonly served: boolean; readonly until: number }>();

  async function isServed({ queue, type }: QueueAndType): Promise<boolean> {
    const name = `${queue}/${type}`;
    const now = performance.now();
    const kept = known.get(name);
    if (kept && kept.until > now) return kept.served;
    const served = await reads.isServed(queue, type, clock.now());
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(name, { served, until: now + KNOWN_FOR_MS });
    return served;
  }

  /** True when a worker for each is there, or when that could not be learned in time. */
  return async (wanted: readonly QueueAndType[]): Promise<boolean> => {
    const limit = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => limit.resolve(true), TELL_WITHIN_MS);
    try {
      const all = Promise.all(wanted.map(isServed)).then((served) => served.every(Boolean));
      return await Promise.race([all.catch(() => true), limit.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}

export type AreServed = ReturnType<typeof servedTypes>;
