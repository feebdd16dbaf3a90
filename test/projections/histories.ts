import { randomUUID } from 'node:crypto';
import type { JobCommand } from '#domain/job/commands';
import { decide } from '#domain/job/decide';
import type { JobEvent } from '#domain/job/events';
import { evolve } from '#domain/job/evolve';
import type { Job } from '#domain/job/state';
import { decideSubmit, SUBMITTED_BY_API, type SubmitRequest } from '#domain/job/submit';
import type { JsonObject, StreamAppend } from '#log/port';

/** Jobs that live through the domain's own decisions: each step gives the append that a command would make. */
export class JobHistory {
  readonly id: string;
  readonly prefix: string;
  job: Job | null = null;

  constructor(prefix = '', id: string = randomUUID()) {
    this.prefix = prefix;
    this.id = id;
  }

  get stream(): string {
    return `${this.prefix}job-${this.id}`;
  }

  submit(request: SubmitRequest, now: number): StreamAppend {
    const facts = { fingerprint: 'f'.repeat(64), idempotencyKey: null, keyUse: null, origin: SUBMITTED_BY_API, now };
    return this.append([decideSubmit(request, facts)], now);
  }

  /** Undefined when the domain refuses the command, or it changes nothing. */
  step(command: JobCommand, now: number, random = 0.5): StreamAppend | undefined {
    if (this.job === null) throw new Error('submit first');
    const decision = decide(this.job, command, { now, random });
    return decision.kind === 'events' ? this.append(decision.events, now) : undefined;
  }

  claim(now: number, claim: { workerId?: string; requestId?: string } = {}): StreamAppend {
    const { workerId = 'w1', requestId = null } = claim;
    const append = this.step({ kind: 'claim', workerId, leaseSeconds: null, requestId }, now);
    if (append === undefined) throw new Error('the claim was refused');
    return append;
  }

  append(events: readonly JobEvent[], now: number): StreamAppend {
    const expectedVersion = this.job?.version ?? -1;
    const written = events.map((event, index) => {
      const id = randomUUID();
      const version = expectedVersion + 1 + index;
      this.job = evolve(this.id, this.job, { ...event, id, version, recordedAt: now, actor: 'test' });
      return {
        id,
        type: event.type,
        data: event.data as JsonObject,
        metadata: { schema_version: 1, actor: 'test' },
        recordedAt: now,
        mark: { status: this.job.status, fencingToken: this.job.fencingToken },
      };
    });
    return { stream: this.stream, expectedVersion, events: written, folded: this.job };
  }
}
