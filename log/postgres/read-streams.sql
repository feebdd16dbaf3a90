-- Several streams whole, oldest first within each.
SELECT e.position, e.stream, e.version, e.id, e.type, e.schema_version, e.status, e.fencing_token,
  epoch_ms(e.recorded_at), e.data, e.metadata
FROM unnest($1::text[]) AS wanted (stream)
CROSS JOIN LATERAL (SELECT * FROM events WHERE events.stream = wanted.stream ORDER BY events.version) e
