import { AppendRefused, type AppendResult, type EventLog, type StreamAppend } from '#log/port';

/**
 * Appends, and tells of each what became of it: its result, or the refusal of its data, which says nothing of the others.
 * @throws LogUnavailable when the outcome could not be learned.
 */
export async function appendEach(
  log: EventLog,
  appends: readonly StreamAppend[],
): Promise<readonly (AppendResult | AppendRefused)[]> {
  if (appends.length === 0) return [];
  try {
    return await log.append(appends);
  } catch (error) {
    if (!(error instanceof AppendRefused)) throw error;
    return error.results.map((result) => result ?? error);
  }
}
