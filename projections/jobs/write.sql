-- Writes a batch: the last state of each job, the counts as differences, and what happened in which second. One statement,
-- so the rows of a job and the counts that it is part of are never seen apart.
WITH job_rows AS (
  INSERT INTO jobs AS known (
    id, version, status, queue, type, created_at, updated_at, scheduled_at, finished_at, lease_expires_at, result_version,
    acknowledged, tags, state, state_format
  )
  SELECT row.id, row.version, row.status, row.queue, row.type, row.created_at, row.updated_at, row.scheduled_at,
    row.finished_at, row.lease_expires_at, row.result_version, row.acknowledged,
    ARRAY(SELECT json_array_elements_text(row.tags::json)), row.state::json, $15::smallint
  FROM unnest(
    $1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[],
    $10::bigint[], $11::int[], $12::boolean[], $13::text[], $14::text[]
  ) AS row (
    id, version, status, queue, type, created_at, updated_at, scheduled_at, finished_at, lease_expires_at, result_version,
    acknowledged, tags, state
  )
  ON CONFLICT (id) DO UPDATE SET
    version = excluded.version, status = excluded.status, updated_at = excluded.updated_at,
    scheduled_at = excluded.scheduled_at, finished_at = excluded.finished_at,
    lease_expires_at = excluded.lease_expires_at, result_version = coalesce(known.result_version, excluded.result_version),
    acknowledged = excluded.acknowledged, state = excluded.state, state_format = excluded.state_format
  WHERE known.version < excluded.version
),
counts AS (
  INSERT INTO queue_stats AS known (queue, status, count)
  SELECT * FROM unnest($16::text[], $17::text[], $18::bigint[])
  ON CONFLICT (queue, status) DO UPDATE SET count = known.count + excluded.count
),
-- Relative to the newest second there is, not to the clock: a rebuild then ends with the same rows.
horizon AS (
  SELECT greatest((SELECT max(second) FROM queue_activity), (SELECT max(s) FROM unnest($19::bigint[]) AS s)) - 120 AS second
),
pruned AS (
  DELETE FROM queue_activity AS old USING horizon WHERE old.second < horizon.second
)
INSERT INTO queue_activity AS known (second, queue, submitted, started, finished)
SELECT new.* FROM unnest($19::bigint[], $20::text[], $21::int[], $22::int[], $23::int[])
  AS new (second, queue, submitted, started, finished)
JOIN horizon ON new.second >= horizon.second
ON CONFLICT (second, queue) DO UPDATE SET
  submitted = known.submitted + excluded.submitted,
  started = known.started + excluded.started,
  finished = known.finished + excluded.finished
