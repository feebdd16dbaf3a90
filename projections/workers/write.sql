-- Writes the workers of a batch. Rows come as JSON, since arrays of arrays have no shape of their own in SQL.
INSERT INTO workers AS known
SELECT * FROM json_populate_recordset(NULL::workers, $1::json)
ON CONFLICT (worker_id) DO UPDATE SET
  started_at = excluded.started_at, stopped_at = excluded.stopped_at, stream_version = excluded.stream_version,
  pid = excluded.pid, concurrency = excluded.concurrency, host = excluded.host, version = excluded.version,
  queues = excluded.queues, types = excluded.types
WHERE known.stream_version < excluded.stream_version
