import type { JobEventType } from '#domain/job/events';

/** What each event of a job tells, in a sentence or two. */
export const EVENT_MEANINGS: Readonly<Record<JobEventType, string>> = {
  Submitted: 'The job exists from here on. Every default is filled in, so that later defaults change nothing about it.',
  Claimed:
    'A worker holds the job under a lease. `fencing_token` is one higher than ever before, `attempt` counts the claims of the cycle that were not released.',
  Heartbeat:
    'The holder is alive: the lease ends later. `progress` and `checkpoint` are there when the worker gave them. A job shorter than a third of its lease has none.',
  Succeeded: 'The attempt ended well; `result` is what the handler returned. Final.',
  Failed:
    'The attempt ended without success. `why` is `error` (the handler said so), `timeout`, or `lease-expired` (nobody can know what became of it). `retry_at` is null when no attempt follows.',
  Released: 'The worker handed the job back unharmed: a snooze, a shutdown, a type it lacks. No attempt is used up.',
  DeadLettered: 'No attempt is left, or another would be pointless. In one append with the `Failed` that caused it.',
  Replayed: 'A dead job starts over: the count of attempts restarts, the history and the fencing token go on.',
  CancelRequested: 'Somebody wants a running job to stop. Its worker is told and has one lease to react.',
  Cancelled: 'The job was cancelled. Final.',
  Rescheduled: 'A pending job got another time or another priority. Both are in the event.',
  Acknowledged: 'An operator has seen a dead job. It stays dead.',
  KeyReleased: "A finished job's idempotency key may be used for a new job.",
};

/** What each field of an event's data holds. A name means the same wherever it occurs. */
export const FIELD_MEANINGS: Readonly<Record<string, string>> = {
  type: 'what is to be done; picks the handler',
  queue: 'where the job waits',
  payload: 'the input, as it was sent',
  priority: '-100 to 100, higher first',
  scheduled_at: 'the earliest start of the next attempt',
  max_attempts: 'how often it is tried in a cycle',
  max_crashes: 'how many lease expiries in a row it is given',
  retry: 'how long to wait between attempts',
  lease_seconds: 'how long a lease lasts without a heartbeat',
  timeout_seconds: 'how long one attempt may take; null: no limit',
  tags: 'for finding it again',
  fingerprint: 'SHA-256 of the canonical JSON (RFC 8785) of the request as sent, before defaults',
  idempotency_key: 'the key of the submit',
  key_use: 'how often the key had been used before',
  origin: 'what made the job: the API, a schedule, or a replay with another payload',
  worker_id: 'who holds it',
  attempt: 'from 1',
  fencing_token: 'for systems that can refuse an older number',
  lease_expires_at: 'from when on the lease may be ended by an event',
  request_id: 'of the lease call, when it named one',
  progress: 'what the worker shows of its progress',
  checkpoint: 'where the next attempt can go on',
  result: 'any JSON value',
  error: 'message, code, stack, and whether a retry makes sense',
  why: 'what ended the attempt',
  retry_at: 'when the next attempt may start; null: none follows',
  reason: 'the words of whoever did it, or what ended it',
};
