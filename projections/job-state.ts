import { DEFAULT_RETRY } from '#domain/job/retry';
import type { Job } from '#domain/job/state';
import { SUBMITTED_BY_API } from '#domain/job/submit';
import type { JsonObject } from '#domain/json/value';

/**
 * How a folded job is kept in a read table: its fields without payload and result, which the log has, and without those
 * that have their usual value. The number goes beside the text; a change of the domain's state raises it, and a row of
 * another format is folded from its stream instead of being read.
 */
export const STATE_FORMAT = 1;

const USUAL = {
  priority: 0,
  attempt: 0,
  crashes: 0,
  releases: 0,
  releasesInRow: 0,
  replays: 0,
  fencingToken: 0,
  startedAt: null,
  timeoutSeconds: null,
  lastError: null,
  progress: null,
  checkpoint: null,
  idempotencyKey: null,
  keyUse: null,
  keyReleased: false,
  acknowledged: false,
  cancel: null,
} as const;
const USUAL_TAGS: readonly string[] = [];

/** The JSON text of a job's state. */
export function encodeJobState(job: Job): string {
  const kept: Record<string, unknown> = {};
  for (const field in job) {
    const value: unknown = job[field as keyof Job];
    if (isKept(field, value)) kept[field] = value;
  }
  return JSON.stringify(kept);
}

function isKept(field: string, value: unknown): boolean {
  switch (field) {
    case 'id':
    case 'payload':
    case 'result':
      return false;
    case 'tags':
      return (value as readonly string[]).length > 0;
    case 'retry':
      return !isSame(value as object, DEFAULT_RETRY);
    case 'origin':
      return !isSame(value as object, SUBMITTED_BY_API);
    default:
      return value !== USUAL[field as keyof typeof USUAL];
  }
}

/** Whether two flat objects have the same fields with the same values. */
function isSame(one: object, other: object): boolean {
  const fields = Object.entries(other);
  return (
    Object.keys(one).length === fields.length && fields.every(([name, value]) => one[name as keyof object] === value)
  );
}

/**
 * The job of a kept state. Its result, if it has one, is null: whoever shows results reads them from the log.
 * @param payload - From the log. Whoever only folds further and keeps the state again may give an empty one.
 */
export function decodeJobState(jobId: string, state: object, payload: JsonObject): Job {
  const { acknowledged, cancel, ...facts } = USUAL;
  const job = {
    ...facts,
    tags: USUAL_TAGS,
    retry: DEFAULT_RETRY,
    origin: SUBMITTED_BY_API,
    ...state,
    id: jobId,
    payload,
  };
  const status = (state as Job).status;
  switch (status) {
    case 'pending':
      return job as unknown as Job;
    case 'running':
      return { cancel, ...job } as unknown as Job;
    case 'succeeded':
      return { cancel, result: null, ...job } as unknown as Job;
    case 'dead':
      return { acknowledged, ...job } as unknown as Job;
    case 'cancelled':
      return job as unknown as Job;
  }
}
