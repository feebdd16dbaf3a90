-- Writes the due rows of a batch as a projector folded them, and takes away those of finished jobs.
WITH removed AS (
  DELETE FROM due_jobs WHERE job_id = ANY ($13::uuid[])
)
INSERT INTO due_jobs AS due (
  job_id, version, status, queue, type, rank, due_at, ready, request_id, state, state_format, entered_position
)
SELECT row.job_id, row.version, row.status, row.queue, row.type, row.rank, row.due_at, row.ready, row.request_id,
  row.state, $11::smallint, row.entered_position
FROM unnest(
  $1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::boolean[], $9::text[],
  $10::json[], $12::bigint[]
) AS row (job_id, version, status, queue, type, rank, due_at, ready, request_id, state, entered_position)
ON CONFLICT (job_id) DO UPDATE SET
  version = excluded.version, status = excluded.status, rank = excluded.rank, due_at = excluded.due_at,
  ready = excluded.ready, request_id = excluded.request_id, state = excluded.state,
  state_format = excluded.state_format, entered_position = excluded.entered_position,
  offered_until = NULL, withheld_version = NULL
WHERE due.version < excluded.version
