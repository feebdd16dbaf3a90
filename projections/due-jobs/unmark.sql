-- Offers picked rows again at once.
UPDATE due_jobs AS due SET offered_until = NULL
WHERE due.job_id IN (
  SELECT locked.job_id FROM due_jobs AS locked WHERE locked.job_id = ANY ($1::uuid[]) FOR UPDATE SKIP LOCKED
)
