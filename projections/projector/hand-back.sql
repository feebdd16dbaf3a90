-- Lets go of the projection, so that another can take it over at once.
UPDATE projections SET owner = NULL, owned_until = clock_timestamp() WHERE name = $1 AND epoch = $2
