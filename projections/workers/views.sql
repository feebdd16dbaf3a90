-- Workers that spoke since $1, from their events and their marks together, and how many leases each holds.
SELECT worker_id, host, pid, workers.version, concurrency, coalesce(held.leases, 0) AS running,
  coalesce(stopping, false) AS stopping, stopped_at,
  greatest(last_seen_at, started_at) AS last_seen_at,
  CASE WHEN worker_marks.worker_id IS NULL THEN workers.queues ELSE worker_marks.queues END AS queues,
  CASE WHEN worker_marks.worker_id IS NULL THEN workers.types ELSE worker_marks.types END AS types
FROM workers FULL JOIN worker_marks USING (worker_id)
LEFT JOIN (
  SELECT state -> 'lease' ->> 'workerId' AS worker_id, count(*)::integer AS leases
  FROM jobs WHERE status = 'running' GROUP BY 1
) AS held USING (worker_id)
WHERE greatest(last_seen_at, started_at, stopped_at) >= $1
ORDER BY worker_id
