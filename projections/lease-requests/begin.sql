-- Reserves an id for a call when it is new, or is free and the same worker's or nobody's; answers no row otherwise. Leases
-- that beats keep going outlast the time the id was bound for: as long as one is held, the id stays its worker's.
INSERT INTO lease_requests AS known (request_id, worker_id, busy_until, bound_until)
VALUES ($1, $2, $4, $4)
ON CONFLICT (request_id) DO UPDATE SET
  worker_id = excluded.worker_id,
  busy_until = excluded.busy_until,
  bound_until = greatest(known.bound_until, excluded.bound_until)
WHERE known.busy_until <= $3 AND (
  known.worker_id = excluded.worker_id
  OR known.bound_until <= $3 AND NOT EXISTS (SELECT FROM due_jobs AS held WHERE held.request_id = known.request_id)
)
RETURNING request_id
