import type { RecordedEvent } from '#log/port';
import type { ParkedStream } from './projection.ts';

/** Classes of SQLSTATE that blame the data: data exception, integrity constraint, program limit. */
const DATA_CLASSES = new Set(['22', '23', '54']);

/** Whether the database refused what was written, as opposed to being away, full, or busy. */
export function isDataError(error: unknown): error is Error {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return error.code.length === 5 && DATA_CLASSES.has(error.code.slice(0, 2));
}

/**
 * Finds the streams whose data the database refuses, by trying halves of a batch.
 * @param attempt - Writes these events and takes them back; throws what the database says.
 */
export async function findCulprits(
  events: readonly RecordedEvent[],
  attempt: (events: readonly RecordedEvent[]) => Promise<void>,
): Promise<readonly ParkedStream[]> {
  const error = await refusal(events, attempt);
  if (error === undefined) return [];
  const streams = [...new Set(events.map((event) => event.stream))];
  if (streams.length === 1) return [await firstRefused(events, attempt, error)];
  const half = new Set(streams.slice(0, Math.ceil(streams.length / 2)));
  const [first, second] = [
    events.filter((event) => half.has(event.stream)),
    events.filter((event) => !half.has(event.stream)),
  ];
  return [...(await findCulprits(first, attempt)), ...(await findCulprits(second, attempt))];
}

/** The first event of one stream that cannot be written on top of those before it. */
async function firstRefused(
  events: readonly RecordedEvent[],
  attempt: (events: readonly RecordedEvent[]) => Promise<void>,
  last: Error,
): Promise<ParkedStream> {
  for (let count = 1; count < events.length; count += 1) {
    const error = await refusal(events.slice(0, count), attempt);
    if (error) return culprit(events[count - 1] as RecordedEvent, error);
  }
  return culprit(events.at(-1) as RecordedEvent, last);
}

function culprit({ stream, version }: RecordedEvent, { message }: Error): ParkedStream {
  return { stream, version, error: message };
}

async function refusal(
  events: readonly RecordedEvent[],
  attempt: (events: readonly RecordedEvent[]) => Promise<void>,
): Promise<Error | undefined> {
  try {
    await attempt(events);
    return undefined;
  } catch (error) {
    if (isDataError(error)) return error;
    throw error;
  }
}
