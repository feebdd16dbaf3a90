import type { PayloadSource } from '#projections/due-jobs/payload-source';

/** With the Postgres log, the payload of a picked job is read in the pick's own statement. */
export const POSTGRES_PAYLOADS: PayloadSource = {
  kind: 'sql',
  submittedAt: (entered) => `(SELECT e.data FROM events AS e WHERE e.position = ${entered} AND e.version = 0)`,
};
