import type { Job } from '#domain/job/state';
import { jobOfFields, type StoredFields, USUAL } from '../job-state.ts';
import { USUAL_LIMITS } from './row.ts';

/** What a statement selects of `jobs`, in this order. Read with `AS_SENT`: a row of a batch costs a fifth of it then. */
export const STORED_COLUMNS = `id, version, state_format, status, queue, type, created_at, updated_at, scheduled_at, started_at,
  finished_at, result_version, attempt, fencing_token, acknowledged,
  CASE WHEN tags <> '{}' THEN to_json(tags) END AS tags, state`;

const NO_PAYLOAD = {};

export type StoredColumns = readonly [
  id: string,
  version: string,
  stateFormat: string,
  status: Job['status'],
  queue: string,
  type: string,
  createdAt: string,
  updatedAt: string,
  scheduledAt: string,
  startedAt: string | null,
  finishedAt: string | null,
  resultVersion: string | null,
  attempt: string,
  fencingToken: string,
  acknowledged: 't' | 'f',
  tags: string | null,
  state: string,
];

/** Tells the driver to hand rows over as lists of the texts that the server sends. */
export const AS_SENT = { rowMode: 'array', types: { getTypeParser: () => (text: string) => text } } as const;

/** A row as lists need it beside the job. */
export interface StoredRow {
  readonly id: string;
  readonly version: number;
  readonly stateFormat: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly scheduledAt: number;
  readonly resultVersion: number | null;
}

export function storedRow([
  id,
  version,
  stateFormat,
  ,
  ,
  ,
  createdAt,
  updatedAt,
  scheduledAt,
  ,
  ,
  resultVersion,
]: StoredColumns): StoredRow {
  return {
    id,
    version: Number(version),
    stateFormat: Number(stateFormat),
    createdAt: Number(createdAt),
    updatedAt: Number(updatedAt),
    scheduledAt: Number(scheduledAt),
    resultVersion: resultVersion === null ? null : Number(resultVersion),
  };
}

/**
 * The job of a row of today's format. Payload and result are empty, and so are the fingerprint and the id of the last
 * event, which no list shows and no further fold needs.
 */
export function jobOfRow(columns: StoredColumns): Job {
  const [id, version, , status, queue, type, createdAt, updatedAt, scheduledAt, startedAt, finishedAt] = columns;
  const [, , , , , , , , , , , , attempt, fencingToken, acknowledged, tags, state] = columns;
  // One literal, and what is unusual laid over it: a fold of thousands of jobs makes nothing else as often.
  const job = {
    id,
    status,
    type,
    queue,
    payload: NO_PAYLOAD,
    priority: USUAL.priority,
    tags: tags === null ? USUAL.tags : (JSON.parse(tags) as string[]),
    createdAt: Number(createdAt),
    updatedAt: Number(updatedAt),
    scheduledAt: Number(scheduledAt),
    startedAt: startedAt === null ? null : Number(startedAt),
    leaseSeconds: USUAL_LIMITS.leaseSeconds,
    timeoutSeconds: USUAL.timeoutSeconds,
    attempt: Number(attempt),
    maxAttempts: USUAL_LIMITS.maxAttempts,
    crashes: USUAL.crashes,
    maxCrashes: USUAL_LIMITS.maxCrashes,
    releases: USUAL.releases,
    releasesInRow: USUAL.releasesInRow,
    replays: USUAL.replays,
    fencingToken: Number(fencingToken),
    retry: USUAL.retry,
    lastError: USUAL.lastError,
    progress: USUAL.progress,
    checkpoint: USUAL.checkpoint,
    origin: USUAL.origin,
    fingerprint: '',
    idempotencyKey: USUAL.idempotencyKey,
    keyUse: USUAL.keyUse,
    keyReleased: USUAL.keyReleased,
    lastEventId: '',
    version: Number(version),
  };
  const rest = state === '{}' ? undefined : (JSON.parse(state) as object);
  if (finishedAt === null) return jobOfFields(Object.assign(job, rest) as unknown as StoredFields);
  const end = { finishedAt: Number(finishedAt), ...(status === 'dead' && { acknowledged: acknowledged === 't' }) };
  return jobOfFields(Object.assign(job, end, rest) as unknown as StoredFields);
}
