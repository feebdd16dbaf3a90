import type { Commands } from '#commands/contract';
import { toInstantText } from '#domain/instant';
import { dueAt, type Job } from '#domain/job/state';
import type { Explanation } from '../schemas/explanation.ts';
import { type Cause, causesOf } from './causes.ts';

export interface ExplainFacts {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Whether a live worker takes jobs of this queue and type. */
  readonly isServed: boolean;
  readonly causes: readonly Cause[];
}

type Reason = Pick<Explanation, 'code' | 'message'> & { readonly until: number | null };

const PAGE = 1000;
const MOST_CAUSES = 100;

/** Walks the job's history for what led to further attempts. */
export async function readCauses(commands: Pick<Commands, 'history'>, jobId: string): Promise<Cause[]> {
  let causes: Cause[] = [];
  for (let from = 0; ; ) {
    const events = (await commands.history(jobId, { from, limit: PAGE })) ?? [];
    causes = [...causes, ...causesOf(events)].slice(-MOST_CAUSES);
    if (events.length < PAGE) return causes;
    from = (events.at(-1)?.version ?? 0) + 1;
  }
}

/** Says in a sentence and a code why the job is where it is, and what made it run again. */
export function explainJob(job: Job, facts: ExplainFacts): Explanation {
  const { code, message, until } = reasonOf(job, facts);
  return {
    job_id: job.id,
    status: job.status,
    code,
    message,
    until: until === null ? null : toInstantText(until),
    causes: facts.causes.map(({ code, version, at, message }) => ({ code, version, at: toInstantText(at), message })),
  };
}

function reasonOf(job: Job, facts: ExplainFacts): Reason {
  switch (job.status) {
    case 'pending':
      return job.scheduledAt > facts.now ? notYetDue(job, facts) : waiting(job, facts);
    case 'running': {
      const until = dueAt(job) as number;
      const since = `worker ${job.lease.workerId} holds attempt ${job.attempt}`;
      if (until > facts.now) return { code: 'leased', message: `It is running: ${since}.`, until };
      return {
        code: 'lease-overdue',
        message: `The lease is over: ${since} and has not been heard of. The next sweep ends it.`,
        until: null,
      };
    }
    case 'succeeded':
    case 'cancelled':
      return { code: 'final', message: `It has ended: ${job.status}.`, until: null };
    case 'dead':
      return {
        code: 'final',
        message: `It is dead (${job.deadReason}). It runs again when it is replayed.`,
        until: null,
      };
  }
}

function notYetDue(job: Job, { causes }: ExplainFacts): Reason {
  const at = toInstantText(job.scheduledAt);
  const last = causes.at(-1);
  if (last?.code === 'error' || last?.code === 'lease-expired') {
    const attempts = `attempt ${job.attempt} of ${job.maxAttempts}`;
    return {
      code: 'retry-wait',
      message: `It waits until ${at} after ${attempts} failed: ${last.message}`,
      until: job.scheduledAt,
    };
  }
  return { code: 'due-later', message: `It is due at ${at}.`, until: job.scheduledAt };
}

function waiting(job: Job, { isServed }: ExplainFacts): Reason {
  if (!isServed) {
    const message = `It is due, but no live worker takes jobs of type ${job.type} from queue ${job.queue}.`;
    return { code: 'no-worker', message, until: null };
  }
  return { code: 'behind-others', message: 'It is due and waits for a free worker behind other jobs.', until: null };
}
