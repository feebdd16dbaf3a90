import type { SubmittedSource } from '#projections/due-jobs/submitted-source';

/** With the Postgres log, the first event of a picked job is read in the pick's own statement. */
export const POSTGRES_SUBMITTED: SubmittedSource = {
  kind: 'sql',
  lateral: (
    entered,
  ) => `SELECT e.id AS submitted_id, e.type AS submitted_type, e.schema_version AS submitted_schema_version,
      epoch_ms(e.recorded_at) AS submitted_at, e.data AS submitted_data, e.metadata AS submitted_metadata
    FROM events AS e WHERE e.position = ${entered} AND e.version = 0`,
};
