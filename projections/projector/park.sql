-- Parks streams at the event that could not be applied; one that is parked stays where it was parked first.
INSERT INTO parked_streams (projection, stream, version, error)
SELECT $1, parked.* FROM unnest($2::text[], $3::int[], $4::text[]) AS parked
ON CONFLICT (projection, stream) DO NOTHING
