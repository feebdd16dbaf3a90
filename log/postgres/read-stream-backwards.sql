-- Events of one stream from a version down, newest first.
SELECT position, stream, version, id, type, schema_version, status, fencing_token, epoch_ms(recorded_at), data, metadata
FROM events
WHERE stream = $1 AND version <= $2
ORDER BY version DESC
LIMIT $3
