-- Forgets ids that belong to nobody any more.
DELETE FROM lease_requests WHERE request_id IN (
  SELECT old.request_id FROM lease_requests AS old
  WHERE old.bound_until <= $1 AND NOT EXISTS (SELECT FROM due_jobs AS held WHERE held.request_id = old.request_id)
  ORDER BY old.bound_until LIMIT 1000 FOR UPDATE SKIP LOCKED
)
