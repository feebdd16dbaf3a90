import type { JobEventData } from '#domain/job/events';
import type { StoredEvent } from '../ports.ts';
import type { Explanation } from '../schemas/explanation.ts';

/** Something after which another attempt follows. */
export interface Cause {
  readonly code: Explanation['causes'][number]['code'];
  readonly version: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly message: string;
}

export function causesOf(
  events: readonly Pick<StoredEvent, 'type' | 'version' | 'recordedAt' | 'data' | 'metadata'>[],
): Cause[] {
  return events.flatMap((event) => {
    const cause = causeOf(event);
    return cause ? [{ ...cause, version: event.version, at: event.recordedAt }] : [];
  });
}

function causeOf({
  type,
  data,
  metadata,
}: Pick<StoredEvent, 'type' | 'data' | 'metadata'>): Pick<Cause, 'code' | 'message'> | undefined {
  switch (type) {
    case 'Failed': {
      const { error, why, retry_at } = data as JobEventData<'Failed'>;
      if (retry_at === null) return undefined;
      if (why === 'lease-expired')
        return { code: 'lease-expired', message: 'The worker was not heard of until its lease was over.' };
      return {
        code: 'error',
        message: why === 'timeout' ? `The attempt took too long: ${error.message}` : error.message,
      };
    }
    case 'Released': {
      const { reason } = data as JobEventData<'Released'>;
      return { code: 'released', message: reason ?? 'The worker handed it back.' };
    }
    case 'Replayed': {
      const { reason } = data as JobEventData<'Replayed'>;
      return { code: 'replayed', message: reason ?? `It was replayed by ${metadata.actor}.` };
    }
    default:
      return undefined;
  }
}
