-- Moves the checkpoint of the epoch that holds the projection, from exactly where it stood: no row means that somebody
-- else works. The rows can be refilled from the log together with the checkpoint, so the commit need not wait for the
-- disk; and a process that freezes in the transaction must not block its successor for longer than half a lease.
UPDATE projections SET position = $4, owned_until = clock_timestamp() + $5 * interval '1 millisecond'
WHERE name = $1 AND epoch = $2 AND owner IS NOT NULL AND position IS NOT DISTINCT FROM $3
RETURNING set_config('synchronous_commit', 'off', true), set_config('idle_in_transaction_session_timeout', $6, true)
