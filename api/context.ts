import type { Commands } from '#commands/contract';
import type { StreamNames } from '#domain/streams';
import type { Clock } from '#runtime/clock';
import type { FeedTail } from './feed/tail.ts';
import type { Slots } from './http/slots.ts';
import type { FeedLog, Reads } from './ports.ts';

/** What the routes work with. */
export interface ApiContext {
  readonly commands: Commands;
  readonly log: FeedLog;
  readonly reads: Reads;
  readonly clock: Clock;
  readonly names: StreamNames;
  readonly tail: FeedTail;
  /** Aborts when the server closes: whatever waits answers then. */
  readonly closing: AbortSignal;
  readonly waits: Slots;
  readonly streams: Slots;
  /** Longest time between two looks at what a wake-up should have told. */
  readonly pollMs: number;
}
