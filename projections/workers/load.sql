-- The workers that a batch goes on with.
SELECT worker_id, started_at, stopped_at, stream_version, pid, concurrency, host, version, queues, types
FROM workers WHERE worker_id = ANY ($1)
