import type { Pool } from 'pg';
import type { EventLog, Page, RecordedEvent } from '#log/port';
import { inTransaction } from '#runtime/postgres/transaction';
import { findCulprits, isDataError } from './culprits.ts';
import { moveCheckpoint, type Ownership } from './ownership.ts';
import { parkStreams } from './parking.ts';
import type { ParkedStream, Projection } from './projection.ts';

export interface PageContext {
  readonly pool: Pool;
  readonly log: EventLog;
  readonly projection: Projection;
  /** Streams that are skipped; those that this page parks are added. */
  readonly parked: Set<string>;
  /** See `ProjectionSource`. */
  readonly tenure: object;
}

export interface AppliedPage {
  /** The very ownership that was given when the page held nothing to write; its checkpoint has not been moved then. */
  readonly owned: Ownership;
  readonly newlyParked: readonly ParkedStream[];
}

/**
 * Writes a page's rows and moves the checkpoint over it, in one transaction: of one statement, unless streams are parked.
 * A page that holds nothing for the projection is left to the caller, who need not move the checkpoint for each.
 * @throws OwnershipLost when another works on the projection; then nothing was written.
 */
export async function applyPage(context: PageContext, owned: Ownership, page: Page): Promise<AppliedPage> {
  const events = page.events.filter((event) => !context.parked.has(event.stream));
  try {
    return await write(context, owned, { ...page, events }, []);
  } catch (error) {
    if (!isDataError(error)) throw error;
    const culprits = await findCulprits(events, (some) => tryOut(context, owned, { ...page, events: some }));
    if (culprits.length === 0) throw error;
    return write(context, owned, { ...page, events: eventsBefore(events, culprits) }, culprits);
  }
}

async function write(
  context: PageContext,
  owned: Ownership,
  page: Page,
  culprits: readonly ParkedStream[],
): Promise<AppliedPage> {
  const { pool, log, projection } = context;
  const prepared = await projection.prepare(page.events, { db: pool, log, tenure: context.tenure });
  const newlyParked = [...prepared.parked, ...culprits];
  if (prepared.write === null && newlyParked.length === 0) return { owned, newlyParked };
  if (newlyParked.length === 0) {
    const moved = await moveCheckpoint(pool, owned, page.next, prepared.write);
    prepared.written?.();
    return { owned: moved, newlyParked };
  }
  const moved = await inTransaction(pool, async (transaction) => {
    const next = await moveCheckpoint(transaction, owned, page.next, prepared.write);
    await parkStreams(transaction, projection.name, newlyParked);
    return next;
  });
  prepared.written?.();
  for (const { stream } of newlyParked) context.parked.add(stream);
  return { owned: moved, newlyParked };
}

class TakenBack extends Error {}

/** Writes some events as if they were the page, and takes it back. */
async function tryOut({ pool, log, projection }: PageContext, owned: Ownership, page: Page): Promise<void> {
  const prepared = await projection.prepare(page.events, { db: pool, log });
  try {
    await inTransaction(pool, async (transaction) => {
      await moveCheckpoint(transaction, owned, page.next, prepared.write);
      throw new TakenBack();
    });
  } catch (error) {
    if (!(error instanceof TakenBack)) throw error;
  }
}

function eventsBefore(events: readonly RecordedEvent[], culprits: readonly ParkedStream[]): readonly RecordedEvent[] {
  const ends = new Map(culprits.map(({ stream, version }) => [stream, version]));
  return events.filter((event) => event.version < (ends.get(event.stream) ?? Number.POSITIVE_INFINITY));
}
