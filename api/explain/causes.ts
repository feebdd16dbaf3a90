import type { RecordedJobEvent } from '#domain/job/events';
import { recordedJobEvent, type StoredJobEvent } from '#domain/job/upcast';
import type { Explanation } from '../schemas/explanation.ts';

/** Something after which another attempt follows. */
export interface Cause {
  readonly code: Explanation['causes'][number]['code'];
  readonly version: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly message: string;
}

/** @throws UnreadableEvent */
export function causesOf(stored: readonly StoredJobEvent[]): Cause[] {
  return stored.map(recordedJobEvent).flatMap((event) => {
    const cause = causeOf(event);
    return cause ? [{ ...cause, version: event.version, at: event.recordedAt }] : [];
  });
}

function causeOf(event: RecordedJobEvent): Pick<Cause, 'code' | 'message'> | undefined {
  switch (event.type) {
    case 'Failed': {
      const { error, why, retry_at } = event.data;
      if (retry_at === null) return undefined;
      if (why === 'lease-expired')
        return { code: 'lease-expired', message: 'The worker was not heard of until its lease was over.' };
      return {
        code: 'error',
        message: why === 'timeout' ? `The attempt took too long: ${error.message}` : error.message,
      };
    }
    case 'Released':
      return { code: 'released', message: event.data.reason ?? 'The worker handed it back.' };
    case 'Replayed':
      return { code: 'replayed', message: event.data.reason ?? `It was replayed by ${event.actor}.` };
    case 'Submitted':
    case 'Claimed':
    case 'Heartbeat':
    case 'Succeeded':
    case 'DeadLettered':
    case 'CancelRequested':
    case 'Cancelled':
    case 'Rescheduled':
    case 'Acknowledged':
    case 'KeyReleased':
      return undefined;
  }
}
