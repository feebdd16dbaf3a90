-- Leaves rows alone until their version moves: pending ones only, since nothing but a sweep moves a running one whose worker
-- died. A row that is locked is moving already; waiting for it could deadlock.
UPDATE due_jobs AS due SET withheld_version = due.version
WHERE due.job_id IN (
  SELECT locked.job_id FROM due_jobs AS locked
  JOIN unnest($1::uuid[], $2::integer[]) AS refused (job_id, version) USING (job_id, version)
  WHERE locked.status = 'pending'
  FOR UPDATE OF locked SKIP LOCKED
)
