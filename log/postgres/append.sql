-- Appends a flush and answers per append; a refused one has no positions.
SELECT ord, outcome, version, first_position, position
FROM append_events($1::integer[], $2::integer[], $3::integer[], $4::text[], $5::integer[], $6::uuid[], $7::text[],
  $8::smallint[], $9::text[], $10::integer[], $11::bigint[], $12::json[], $13::json[])
