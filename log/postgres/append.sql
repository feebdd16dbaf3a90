-- Appends a flush and answers per append; a refused one has no positions.
SELECT ord, outcome, version, first_position, position
FROM append_events($1::text[], $2::integer[], $3::integer[], $4::integer[], $5::integer[], $6::text[], $7::integer[],
  $8::uuid[], $9::text[], $10::smallint[], $11::text[], $12::integer[], $13::bigint[], $14::text[], $15::text[])
