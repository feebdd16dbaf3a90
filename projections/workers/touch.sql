-- Notes that workers were seen. In order of their ids, so that two processes cannot deadlock.
INSERT INTO worker_marks AS known (worker_id, last_seen_at, stopping, queues, types)
SELECT mark.worker_id, mark.last_seen_at, mark.stopping, mark.queues, mark.types
FROM json_populate_recordset(NULL::worker_marks, $1::json) AS mark ORDER BY mark.worker_id
ON CONFLICT (worker_id) DO UPDATE SET
  last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at),
  stopping = excluded.stopping, queues = excluded.queues, types = excluded.types
