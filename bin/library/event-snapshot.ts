import type { Json, JobEvent as WireEvent } from '#client/types';

/** One event of a job's history. */
export interface JobEvent {
  readonly version: number;
  /** `Submitted`, `Claimed`, `Heartbeat`, `Succeeded` and so on. */
  readonly type: string;
  readonly recordedAt: Date;
  readonly position: string;
  /** In camelCase, instants as `Date`; payload, result, progress and checkpoint as they are. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: {
    readonly eventId: string;
    readonly actor: string;
    readonly requestId: string | null;
    readonly correlationId: string | null;
    readonly causationId: string | null;
    readonly traceparent: string | null;
  };
}

/** What users put in. Nothing below these names is ours. */
const UNTOUCHED = new Set(['payload', 'result', 'progress', 'checkpoint']);

export function eventSnapshot({ version, type, recorded_at, position, data, metadata }: WireEvent): JobEvent {
  const text = (name: string) => {
    const value = metadata[name];
    return typeof value === 'string' ? value : null;
  };
  return {
    version,
    type,
    recordedAt: new Date(recorded_at),
    position,
    data: camelCased(data),
    metadata: {
      eventId: metadata.event_id,
      actor: metadata.actor,
      requestId: text('request_id'),
      correlationId: text('$correlationId'),
      causationId: text('$causationId'),
      traceparent: text('traceparent'),
    },
  };
}

function camelCased(object: { readonly [key: string]: Json }): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [camelCase(key), UNTOUCHED.has(key) ? value : converted(key, value)]),
  );
}

function converted(key: string, value: Json): unknown {
  if (key.endsWith('_at') && typeof value === 'string') return new Date(value);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? camelCased(value as { readonly [key: string]: Json }) : value;
}

function camelCase(key: string): string {
  return key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
