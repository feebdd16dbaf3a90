import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import type { TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { saying } from './events.ts';

const GATE_KEY = 1;

/**
 * SQL that makes some appends slow: an event whose data have a `gate` waits, inside its append's transaction and with its
 * number taken, for a lock that the test holds. `gate: 'fails'` then rolls back.
 */
export const GATE = `
CREATE FUNCTION pass_gate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(${GATE_KEY});
  IF NEW.data ->> 'gate' = 'fails' THEN RAISE EXCEPTION 'refused at the gate'; END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER gate BEFORE INSERT ON events FOR EACH ROW
  WHEN ((NEW.data ->> 'gate') IS NOT NULL) EXECUTE FUNCTION pass_gate();
`;

export const passingGate = () => saying({ gate: 'passes' });
export const failingAtGate = () => saying({ gate: 'fails' });

export interface Gate {
  /** Backends that wait, once there are so many. */
  untilReached(count?: number): Promise<readonly number[]>;
  open(): Promise<void>;
}

/** Closes the gate of a database that was prepared with `GATE`, until it is opened or the test is over. */
export async function closeGate(database: TestDatabase): Promise<Gate> {
  const client = new Client({ connectionString: database.connectionString });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('SELECT pg_advisory_lock($1)', [GATE_KEY]);
  const waiting = async () => {
    const { rows } = await client.query<{ pid: number }>(
      `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = ${GATE_KEY} AND classid = 0
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    return rows.map(({ pid }) => pid);
  };
  return {
    untilReached: (count = 1) =>
      until(`${count} appends at the gate`, async () => {
        const pids = await waiting();
        return pids.length >= count && pids;
      }),
    open: () => client.end(),
  };
}
