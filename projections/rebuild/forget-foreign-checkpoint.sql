-- Takes a checkpoint of another log, or one that lies ahead of this log, back to the beginning, unless somebody works on it.
UPDATE projections SET log_id = $2, position = NULL
WHERE name = $1 AND (log_id <> $2 OR position > $3) AND (owner IS NULL OR owned_until <= clock_timestamp())
