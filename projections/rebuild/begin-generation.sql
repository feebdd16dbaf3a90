-- Begins a projection anew, for the epoch that holds it: no row means that another process took it over.
UPDATE projections
SET position = NULL, generation = generation + 1, owned_until = clock_timestamp() + $3 * interval '1 millisecond'
WHERE name = $1 AND epoch = $2
