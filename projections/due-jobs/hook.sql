-- Writes the due rows of the jobs that this very statement appended to, and takes away those of finished ones.
--
-- The rows are found by the snapshot of the whole statement, which is older than the append inside it. That is enough:
-- who expects a version has seen it, so the row of that version was committed before this statement began; where it
-- moved meanwhile, read committed follows it to its newest version.
due_rows_written AS (
  INSERT INTO due_jobs AS due (
    job_id, version, status, queue, type, rank, due_at, ready, request_id, state, state_format, entered_position
  )
  SELECT row.job_id, row.version, row.status, row.queue, row.type, row.rank, row.due_at, row.ready, row.request_id,
    row.state::json, $11::smallint, appended.first_position
  FROM unnest(
    $1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::boolean[], $9::text[],
    $10::text[], $12::int[]
  ) AS row (job_id, version, status, queue, type, rank, due_at, ready, request_id, state, ord)
  JOIN appended ON appended.ord = row.ord
  ON CONFLICT (job_id) DO UPDATE SET
    version = excluded.version, status = excluded.status, rank = excluded.rank, due_at = excluded.due_at,
    ready = excluded.ready, request_id = excluded.request_id, state = excluded.state,
    state_format = excluded.state_format, offered_until = NULL, withheld_version = NULL
  WHERE due.version < excluded.version
),
due_rows_removed AS (
  DELETE FROM due_jobs WHERE job_id = ANY (ARRAY(
    SELECT row.job_id FROM unnest($13::uuid[], $14::int[]) AS row (job_id, ord) JOIN appended ON appended.ord = row.ord
  ))
)
