-- Appends all of these or, at the first conflict, none.
SELECT appended.first_positions, appended.last_positions::text AS positions, appended.refused
FROM append_events_together($1::integer[], $2::integer[], $3::integer[], $4::text[], $5::integer[], $6::uuid[], $7::text[],
  $8::smallint[], $9::text[], $10::integer[], $11::bigint[], $12::json[], $13::json[]) AS appended
