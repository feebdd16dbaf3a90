-- Appends all of these or, at the first conflict, none, and answers per append.
SELECT ord, outcome, version, first_position, position
FROM append_events_together($1::text[], $2::integer[], $3::integer[], $4::integer[], $5::integer[], $6::text[], $7::integer[],
  $8::uuid[], $9::text[], $10::smallint[], $11::text[], $12::integer[], $13::bigint[], $14::text[], $15::text[])
