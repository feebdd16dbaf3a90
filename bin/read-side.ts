import type { Reads } from '#api/ports';
import { listJobs } from '#projections/jobs/list-queries';
import { queueViewOf, queueViews } from '#projections/jobs/queue-queries';
import { PositionWaiter } from '#projections/positions/position-queries';
import { ProjectionProgress } from '#projections/positions/progress';
import { tablePosition } from '#projections/positions/table-position';
import { projectionViews } from '#projections/status/projection-queries';
import { WorkerMarks } from '#projections/workers/marks';
import { isServed, workerViews } from '#projections/workers/worker-queries';
import type { Core } from './compose.ts';
import { PROJECTION_NAMES } from './projection-names.ts';

/** The read tables as the API, the workers and the metrics ask them. */
export interface ReadSide extends Reads {
  /** Told by the projector of this process, so that its readers need not poll for it. */
  readonly progress: ProjectionProgress;
}

/** With the Postgres log, the append itself writes this table. */
const WRITTEN_BY_APPEND = ['due_jobs'];

export function createReadSide({ log, tables: pool }: Core, streamPrefix: string): ReadSide {
  const progress = new ProjectionProgress();
  const waiter = new PositionWaiter({ pool, progress, writtenByAppend: WRITTEN_BY_APPEND });
  const marks = new WorkerMarks(pool);
  const status = { pool, log, names: PROJECTION_NAMES, writtenByAppend: WRITTEN_BY_APPEND };
  return {
    progress,
    listJobs: (query) => listJobs({ pool, log, streamPrefix }, query),
    queueViews: (now) => queueViews(pool, now),
    queueView: (name, now) => queueViewOf(pool, name, now),
    workerViews: (now) => workerViews(pool, now),
    projectionViews: (now) => projectionViews(status, now),
    isServed: (queue, type, now) => isServed(pool, { queue, type }, now),
    touchWorkers: (workers) => marks.touchWorkers(workers),
    async positionOf(tables) {
      const behind = tables.filter((name) => !WRITTEN_BY_APPEND.includes(name));
      return behind.length > 0 ? tablePosition(pool, behind) : log.head();
    },
    waitForPosition: (tables, position, limits) => waiter.waitForPosition(tables, position, limits),
  };
}
