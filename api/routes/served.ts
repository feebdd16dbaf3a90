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

  async function ask({ queue, type }: QueueAndType): Promise<boolean> {
    const now = performance.now();
    const served = await reads.isServed(queue, type, clock.now());
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(`${queue}/${type}`, { served, until: now + KNOWN_FOR_MS });
    return served;
  }

  function lookUp({ queue, type }: QueueAndType): boolean | undefined {
    const kept = known.get(`${queue}/${type}`);
    return kept && kept.until > performance.now() ? kept.served : undefined;
  }

  /** True when a worker for each is there, or when that could not be learned in time. */
  return async (wanted: readonly QueueAndType[]): Promise<boolean> => {
    const answers = wanted.map(lookUp);
    const knownAreServed = !answers.includes(false);
    const unknown = wanted.filter((_, index) => answers[index] === undefined);
    if (unknown.length === 0) return knownAreServed;
    const limit = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => limit.resolve(true), TELL_WITHIN_MS);
    try {
      const all = Promise.all(unknown.map(ask)).then((served) => knownAreServed && served.every(Boolean));
      return await Promise.race([all.catch(() => true), limit.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}

export type AreServed = ReturnType<typeof servedTypes>;
