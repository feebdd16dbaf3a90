import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { EventLog, Page, Position } from '#log/port';
import { quoteIdentifier } from '#runtime/postgres/session';
import { loadSql } from '#runtime/postgres/sql';
import { inTransaction } from '#runtime/postgres/transaction';
import { positionNumber } from '../positions/position-number.ts';
import { applyPage } from '../projector/apply-page.ts';
import { handBack, LEASE_MS, moveCheckpoint, type Ownership, takeOwnership } from '../projector/ownership.ts';
import type { Projection } from '../projector/projection.ts';

export interface RebuildOptions {
  readonly pool: Pool;
  readonly log: EventLog;
  readonly projection: Projection;
  /** Events in a batch, of which two are in memory at once. Default 5,000: the more a batch holds of a job, the fewer writes. */
  readonly pageSize?: number;
  /** Hears how far it is, in events (more precisely: in numbers of the log). */
  onProgress?(done: number, total: number): void;
}

const FORGET_FOREIGN_CHECKPOINT = loadSql(import.meta.url, 'forget-foreign-checkpoint.sql');
const BEGIN_GENERATION = loadSql(import.meta.url, 'begin-generation.sql');

/** A running process works on the projection, or newer code did; nothing was changed. */
export class RebuildRefused extends Error {
  override readonly name = 'RebuildRefused';
}

/**
 * Empties a projection's tables and fills them from the log up to its head. Readers see the table grow meanwhile, so no
 * server should run; a projector that does is fenced out by the epoch, and one that is at work makes it refuse.
 * @throws RebuildRefused
 */
export async function rebuildOffline(options: RebuildOptions): Promise<void> {
  const { pool, log, projection } = options;
  await forgetForeignCheckpoint(pool, log, projection.name);
  const taken = await takeOwnership(pool, log, projection, `rebuild/${randomUUID()}`);
  if (taken === null)
    throw new RebuildRefused(`A running process works on ${projection.name}, or newer code did. Stop it first.`);
  try {
    await refill(options, await emptyTables(pool, projection, taken));
  } finally {
    await handBack(pool, taken);
  }
}

/** Well within the time for which an ownership stands. */
const MOVE_EVERY_MS = 1000;

async function refill(options: RebuildOptions, emptied: Ownership): Promise<void> {
  const { pool, log, projection, pageSize = 5000, onProgress } = options;
  const context = { pool, log, projection, tenure: {}, parked: new Set<string>() };
  let owned = emptied;
  let done: Position | null = null;
  let head = await log.head();
  let coming = readAhead(log, done, pageSize);
  let movedAt = performance.now();
  while (isBefore(done, head)) {
    const page = await coming;
    if (page.events.length === 0) break;
    const goesOn = isBefore(page.next, head);
    if (goesOn) coming = readAhead(log, page.next, pageSize);
    const before = owned;
    ({ owned } = await applyPage(context, owned, page));
    done = page.next;
    // The ownership is prolonged with the checkpoint, also over a long stretch that concerns no row.
    if (owned === before && performance.now() - movedAt > MOVE_EVERY_MS) {
      owned = await moveCheckpoint(pool, owned, done, null);
    }
    if (owned !== before) movedAt = performance.now();
    onProgress?.(positionNumber(done), Math.max(positionNumber(head), positionNumber(done)));
    if (goesOn) continue;
    head = await log.head();
    if (isBefore(done, head)) coming = readAhead(log, done, pageSize);
  }
  if (done !== null && owned.position !== done) await moveCheckpoint(pool, owned, done, null);
}

/** Reads a page while the one before it is written. What fails is heard where it is awaited. */
function readAhead(log: EventLog, after: Position | null, pageSize: number): Promise<Page> {
  const coming = log.readAll(after, pageSize);
  coming.catch(() => undefined);
  return coming;
}

function isBefore(position: Position | null, head: Position): boolean {
  return positionNumber(position) < positionNumber(head);
}

/** A checkpoint of another log stops a projector for good; a rebuild is how it is put right. */
async function forgetForeignCheckpoint(pool: Pool, log: EventLog, name: string): Promise<void> {
  const head = await log.head();
  await pool.query(FORGET_FOREIGN_CHECKPOINT, [name, log.id, head]);
}

async function emptyTables(pool: Pool, projection: Projection, taken: Ownership): Promise<Ownership> {
  await inTransaction(pool, async (transaction) => {
    const { rowCount } = await transaction.query(BEGIN_GENERATION, [projection.name, taken.epoch, LEASE_MS]);
    if (rowCount !== 1) throw new RebuildRefused(`Another process took ${projection.name} over`);
    await transaction.query('DELETE FROM parked_streams WHERE projection = $1', [projection.name]);
    await transaction.query(`TRUNCATE ${projection.tables.map(quoteIdentifier).join(', ')}`);
  });
  return { ...taken, position: null };
}
