-- The worker that an id belongs to: for its time, and as long as a lease of it is held.
SELECT known.worker_id FROM lease_requests AS known WHERE known.request_id = $1 AND (
  known.bound_until > $2 OR EXISTS (SELECT FROM due_jobs AS held WHERE held.request_id = known.request_id)
)
