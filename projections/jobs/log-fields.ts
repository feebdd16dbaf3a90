import type { JsonObject, JsonValue } from '#domain/json/value';
import type { EventLog } from '#log/port';

/** Payloads and results, which no read table keeps: they are read from the one event that holds them. */
export interface LogFields {
  payload(jobId: string): Promise<JsonObject | undefined>;
  result(jobId: string, version: number): Promise<JsonValue | undefined>;
}

export function logFields(log: Pick<EventLog, 'readStream'>, jobStream: (jobId: string) => string): LogFields {
  const dataOf = async (jobId: string, version: number) => {
    const [event] = await log.readStream(jobStream(jobId), { from: version, limit: 1 });
    return event?.version === version ? event.data : undefined;
  };
  return {
    payload: async (jobId) => (await dataOf(jobId, 0))?.payload as JsonObject | undefined,
    result: async (jobId, version) => (await dataOf(jobId, version))?.result,
  };
}
