import type { PoolClient } from 'pg';
import type { Position } from '#log/port';
import { quoteIdentifier } from '#runtime/postgres/session';
import { inTransaction } from '#runtime/postgres/transaction';
import { positionNumber } from '../positions/position-number.ts';
import { parkStreams } from '../projector/parking.ts';
import { bareWrite } from '../projector/write.ts';
import type { RebuildOptions } from './offline.ts';

/**
 * Refills a table that the append itself writes. In one transaction that holds the table for itself: an append that is
 * under way waits for the end of it, and what readers of the log can see meanwhile is exactly what came before. Appends
 * wait ten seconds at most, so no server should run.
 */
export async function rebuildUnderLock(options: RebuildOptions): Promise<void> {
  const { pool, projection } = options;
  const tables = projection.tables.map(quoteIdentifier).join(', ');
  await inTransaction(pool, async (transaction) => {
    await transaction.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    await transaction.query(`LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`);
    await transaction.query(`TRUNCATE ${tables}`);
    await transaction.query('DELETE FROM parked_streams WHERE projection = $1', [projection.name]);
    await refill(options, transaction);
  });
}

async function refill(
  { log, projection, pageSize = 2000, onProgress }: RebuildOptions,
  transaction: PoolClient,
): Promise<void> {
  const parked = new Set<string>();
  const total = positionNumber(await log.head());
  let after: Position | null = null;
  for (;;) {
    const page = await log.readAll(after, pageSize);
    if (page.events.length === 0) return;
    const events = page.events.filter((event) => !parked.has(event.stream));
    const prepared = await projection.prepare(events, { db: transaction, log });
    await parkStreams(transaction, projection.name, prepared.parked);
    if (prepared.write) await transaction.query(bareWrite(prepared.write));
    for (const { stream } of prepared.parked) parked.add(stream);
    after = page.next;
    onProgress?.(positionNumber(after), Math.max(total, positionNumber(after)));
  }
}
