-- Reserves an id for a call when it is new, has expired, or is free and the same worker's; answers no row otherwise.
INSERT INTO lease_requests AS known (request_id, worker_id, busy_until, bound_until)
VALUES ($1, $2, $4, $4)
ON CONFLICT (request_id) DO UPDATE SET
  worker_id = excluded.worker_id,
  busy_until = excluded.busy_until,
  bound_until = greatest(known.bound_until, excluded.bound_until)
WHERE known.busy_until <= $3 AND (known.worker_id = excluded.worker_id OR known.bound_until <= $3)
RETURNING request_id
