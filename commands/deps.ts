import type { JobEventType } from '#domain/job/events';
import type { Job } from '#domain/job/state';
import type { StreamNames } from '#domain/streams';
import type { EventLog } from '#log/port';
import type { Clock } from '#runtime/clock';
import type { KnownJobs } from './known-jobs.ts';
import type { DueJobs, LeaseRequests } from './ports.ts';

/** What the commands are built on. Time, chance and ids are here, so that a test or a simulation can hold them. */
export interface Deps {
  readonly log: EventLog;
  readonly names: StreamNames;
  readonly clock: Clock;
  /** From 0 to 1, for jitter. */
  readonly random: () => number;
  /** A fresh UUIDv7. */
  readonly newId: () => string;
  readonly due: DueJobs;
  readonly leaseRequests: LeaseRequests;
  readonly known: KnownJobs;
  /** How long after its job's end an idempotency key stays taken. */
  readonly keyWindowSeconds: number;
  readonly observe: Observe;
}

/** Told what was written and what was refused, for metrics. Must not throw. */
export interface Observe {
  written(type: JobEventType, job: Job): void;
  conflict(): void;
  staleWrite(): void;
}
