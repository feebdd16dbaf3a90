import { WORKER_EVENT_SCHEMA_VERSIONS, type WorkerEvent } from '#domain/worker/events';
import { type JsonObject, NO_STREAM, type Position } from '#log/port';
import type { Call, WorkerFacts } from './contract.ts';
import type { Deps } from './deps.ts';
import { TooContended } from './errors.ts';
import { metadataOf } from './new-events.ts';

const MAX_ROUNDS = 20;

/** Records that a worker process has begun to take jobs. */
export async function workerStarted(deps: Deps, worker: WorkerFacts, call: Call): Promise<Position> {
  const { workerId, ...facts } = worker;
  const data = { ...facts, queues: list(facts.queues), types: list(facts.types) };
  return appendWorkerEvent(deps, workerId, { type: 'WorkerStarted', data }, call);
}

/** Records that a worker process has stopped in good order. */
export async function workerStopped(deps: Deps, workerId: string, call: Call): Promise<Position> {
  return appendWorkerEvent(deps, workerId, { type: 'WorkerStopped', data: {} }, call);
}

async function appendWorkerEvent(deps: Deps, workerId: string, event: WorkerEvent, call: Call): Promise<Position> {
  const stream = deps.names.worker(workerId);
  const id = deps.newId();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const [last] = await deps.log.readStream(stream, { direction: 'backwards', limit: 1 });
    const recorded = {
      id,
      type: event.type,
      data: event.data as unknown as JsonObject,
      metadata: metadataOf(call, WORKER_EVENT_SCHEMA_VERSIONS[event.type], last?.id),
      recordedAt: Math.max(deps.clock.now(), last?.recordedAt ?? 0),
    };
    const expectedVersion = last ? last.version : NO_STREAM;
    const [result] = await deps.log.append([{ stream, expectedVersion, events: [recorded] }]);
    if (result?.kind === 'appended') return result.position;
  }
  throw new TooContended(`Several processes call themselves worker ${workerId}`);
}

function list(values: readonly string[] | null): string[] | null {
  return values && [...values];
}
