-- All queues that ever had a job, or the named one: jobs by status, what is due, and what happened in the last minute.
--
-- Due jobs are counted one by one up to 10,000 a queue, since an exact count of a large backlog costs more than it tells;
-- beyond that the answer is what is pending less what still waits (counted up to the same limit), and the oldest is the
-- oldest of those that go first.
WITH known AS (
  SELECT queue,
    coalesce(sum(count) FILTER (WHERE status = 'pending'), 0) AS pending,
    coalesce(sum(count) FILTER (WHERE status = 'running'), 0) AS running,
    coalesce(sum(count) FILTER (WHERE status = 'succeeded'), 0) AS succeeded,
    coalesce(sum(count) FILTER (WHERE status = 'dead'), 0) AS dead,
    coalesce(sum(count) FILTER (WHERE status = 'cancelled'), 0) AS cancelled
  FROM queue_stats WHERE $1::text IS NULL OR queue = $1 GROUP BY queue
),
-- Due by now, and not yet seen by a pick.
unpromoted AS (
  SELECT queue, count(*) AS jobs, min(due_at) AS oldest_due_at FROM (
    SELECT queue, due_at FROM due_jobs WHERE status = 'pending' AND NOT ready AND due_at <= $2 ORDER BY due_at LIMIT 10000
  ) AS due GROUP BY queue
),
waiting AS (
  SELECT queue, count(*) AS jobs FROM (
    SELECT queue FROM due_jobs WHERE status = 'pending' AND NOT ready AND due_at > $2 ORDER BY due_at LIMIT 10000
  ) AS later GROUP BY queue
),
activity AS (
  SELECT queue, sum(submitted) AS submitted, sum(started) AS started, sum(finished) AS finished
  FROM queue_activity WHERE second > $2 / 1000 - 60 AND second <= $2 / 1000 GROUP BY queue
)
SELECT known.*,
  CASE WHEN ready.jobs < 10000 THEN ready.jobs + coalesce(unpromoted.jobs, 0)
    ELSE greatest(ready.jobs, known.pending - coalesce(waiting.jobs, 0)) END AS due,
  least(ready.oldest_due_at, unpromoted.oldest_due_at) AS oldest_due_at,
  coalesce(activity.submitted, 0) AS submitted, coalesce(activity.started, 0) AS started,
  coalesce(activity.finished, 0) AS finished
FROM known
CROSS JOIN LATERAL (
  SELECT count(*) AS jobs, min(first.due_at) AS oldest_due_at FROM (
    SELECT due.due_at FROM due_jobs AS due
    WHERE due.status = 'pending' AND due.ready AND due.queue = known.queue LIMIT 10000
  ) AS first
) AS ready
LEFT JOIN unpromoted USING (queue) LEFT JOIN waiting USING (queue) LEFT JOIN activity USING (queue)
ORDER BY known.queue
