-- Prolongs the lease of the epoch that holds the projection.
UPDATE projections SET owned_until = clock_timestamp() + $3 * interval '1 millisecond'
WHERE name = $1 AND epoch = $2 AND owner IS NOT NULL
