-- A page of the log behind a number; the first row is no event but tells the last number given out and the bound.
SELECT last_number, bound, position, stream, version, id, type, schema_version, status, fencing_token, recorded_at, data,
  metadata
FROM read_events($1, $2)
