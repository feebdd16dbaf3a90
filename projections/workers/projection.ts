import { isUnfoldable } from '#domain/history';
import { streamNames } from '#domain/streams';
import type { RecordedEvent } from '#log/port';
import { loadSql } from '#runtime/postgres/sql';
import type { ParkedStream, Projection } from '../projector/projection.ts';
import { evolveWorker, type WorkerRow } from './fold.ts';

const LOAD = loadSql(import.meta.url, 'load.sql');
const WRITE = { functionName: 'workers_write', types: ['json'] };

type LoadedRow = Omit<WorkerRow, 'started_at' | 'stopped_at'> & { started_at: string; stopped_at: string | null };

/** `workers`: the processes that said that they start, and that they stop. */
export function workersProjection(options: { readonly streamPrefix: string }): Projection {
  const names = streamNames(options.streamPrefix);
  return {
    name: 'workers',
    schemaVersion: 1,
    tables: ['workers'],
    async prepare(events, { db }) {
      const ofWorkers = events.filter((event) => names.workerIdOf(event.stream) !== null);
      if (ofWorkers.length === 0) return { parked: [], write: null };
      const ids = [...new Set(ofWorkers.map((event) => names.workerIdOf(event.stream) as string))];
      const { rows } = await db.query<LoadedRow>(LOAD, [ids]);
      const known = new Map(rows.map((row) => [row.worker_id, loaded(row)]));
      const { changed, parked } = foldWorkers(ofWorkers, known, names.workerIdOf);
      return {
        parked,
        write: changed.length === 0 ? null : { ...WRITE, values: [JSON.stringify(changed)] },
      };
    },
  };
}

function loaded(row: LoadedRow): WorkerRow {
  return {
    ...row,
    started_at: Number(row.started_at),
    stopped_at: row.stopped_at === null ? null : Number(row.stopped_at),
  };
}

function foldWorkers(
  events: readonly RecordedEvent[],
  known: Map<string, WorkerRow>,
  workerIdOf: (stream: string) => string | null,
): { changed: readonly WorkerRow[]; parked: readonly ParkedStream[] } {
  const changed = new Map<string, WorkerRow>();
  const parked = new Map<string, ParkedStream>();
  for (const event of events) {
    const workerId = workerIdOf(event.stream) as string;
    const row = changed.get(workerId) ?? known.get(workerId);
    if (parked.has(event.stream) || (row && event.version <= row.stream_version)) continue;
    try {
      changed.set(workerId, evolveWorker(workerId, row, event));
    } catch (error) {
      if (!isUnfoldable(error)) throw error;
      parked.set(event.stream, { stream: event.stream, version: event.version, error: error.message });
    }
  }
  return { changed: [...changed.values()], parked: [...parked.values()] };
}
