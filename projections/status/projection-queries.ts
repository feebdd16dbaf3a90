import type { Pool } from 'pg';
import type { EventLog, Position } from '#log/port';
import { loadSql } from '#runtime/postgres/sql';
import { positionNumber } from '../positions/position-number.ts';

/**
 * `failed`: the checkpoint is not of this log, or ahead of it. `paused`: no process works on it. `catching-up`: more than
 * five seconds and a thousand events behind. `live`: everything else.
 */
export type ProjectionState = 'live' | 'catching-up' | 'paused' | 'failed';

/** A projection as clients see it. */
export interface ProjectionView {
  readonly name: string;
  readonly state: ProjectionState;
  readonly generation: number;
  /** Null before the first event. */
  readonly position: Position | null;
  /** Difference of the log's numbers: gaps that rolled-back appends left in them count, too. */
  readonly lag_events: number;
  /** Age of the oldest event that it has not seen. */
  readonly lag_seconds: number;
  readonly parked_streams: number;
  readonly rebuild: null;
}

export interface ProjectionViewsOptions {
  readonly pool: Pool;
  readonly log: EventLog;
  readonly names: readonly string[];
  /** Tables that are written with the append, so that they are never behind. */
  readonly writtenByAppend: readonly string[];
}

interface CheckpointRow {
  readonly name: string;
  readonly generation: number;
  /** Null when nobody ever worked on it. */
  readonly log_id: string | null;
  readonly position: string | null;
  readonly is_owned: boolean;
  readonly parked_streams: number;
}

const CHECKPOINTS = loadSql(import.meta.url, 'checkpoints.sql');
const BEHIND_EVENTS = 1000;
const BEHIND_SECONDS = 5;

/** Where the projections stand. `now` is epoch milliseconds by the one clock. */
export async function projectionViews(
  options: ProjectionViewsOptions,
  now: number,
): Promise<readonly ProjectionView[]> {
  const { pool, log, names, writtenByAppend } = options;
  const { rows } = await pool.query<CheckpointRow>(CHECKPOINTS, [names]);
  const head = await log.head();
  return Promise.all(
    rows.map((row) => (writtenByAppend.includes(row.name) ? currentView(row, head) : viewOf(row, { log, head, now }))),
  );
}

function currentView({ name, generation, parked_streams }: CheckpointRow, head: Position): ProjectionView {
  return {
    name,
    state: 'live',
    generation,
    position: head,
    lag_events: 0,
    lag_seconds: 0,
    parked_streams,
    rebuild: null,
  };
}

async function viewOf(
  row: CheckpointRow,
  { log, head, now }: { readonly log: EventLog; readonly head: Position; readonly now: number },
): Promise<ProjectionView> {
  const { name, generation, position, parked_streams } = row;
  const facts = { name, generation, position, parked_streams, rebuild: null };
  if (!isOfLog(row, log, head)) return { ...facts, state: 'failed', lag_events: 0, lag_seconds: 0 };
  const lag_events = Math.max(0, positionNumber(head) - positionNumber(position));
  const lag_seconds = lag_events === 0 ? 0 : await lagSeconds(log, position, now);
  const isBehind = lag_events > BEHIND_EVENTS && lag_seconds > BEHIND_SECONDS;
  const state = row.is_owned ? (isBehind ? 'catching-up' : 'live') : 'paused';
  return { ...facts, state, lag_events, lag_seconds };
}

function isOfLog({ log_id, position }: CheckpointRow, log: EventLog, head: Position): boolean {
  return (log_id === null || log_id === log.id) && (position === null || position <= head);
}

async function lagSeconds(log: EventLog, position: Position | null, now: number): Promise<number> {
  const { events } = await log.readAll(position, 1);
  return events[0] ? Math.max(0, (now - events[0].recordedAt) / 1000) : 0;
}
